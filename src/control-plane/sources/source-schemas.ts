/** A deployment's source on the wire: for all revisions, and for one. */
import { z } from '@hono/zod-openapi'
import { PARKED_THREADS_RULES } from '../../core/agent/parked-threads.ts'
import { isStandingUrl, MAX_STANDING_WEBHOOKS, WEBHOOK_EVENTS } from '../../core/agent/webhook.ts'
import { kindOf, SOURCES } from '../../core/deployment/sources/table.ts'
import { line, nullishOf, Uuid } from '../operations/text.ts'

// The resources of a deployment: the `ResourceSpec` of LangGraph Platform's API. It is stored and answered as
// sent, whatever the runtime driver does with it. An update replaces all of it.

const COUNTS = [
  'min_scale',
  'max_scale',
  'memory_mb',
  'memory_limit_mb',
  'queue_min_scale',
  'queue_max_scale',
  'queue_memory_mb',
  'queue_memory_limit_mb',
  'redis_memory_mb',
  'redis_memory_limit_mb',
  'db_memory_mb',
  'db_memory_limit_mb',
  'db_storage_gi',
  'db_max_connections',
  'orchestrator_min_scale',
  'orchestrator_max_scale',
  'orchestrator_memory_mb',
  'orchestrator_memory_limit_mb',
  'executor_memory_mb',
  'executor_memory_limit_mb',
] as const
const CPUS = [
  'cpu',
  'queue_cpu',
  'redis_cpu',
  'db_cpu',
  'orchestrator_cpu',
  'executor_cpu',
] as const
const CPU_LIMITS = [
  'cpu_limit',
  'queue_cpu_limit',
  'redis_cpu_limit',
  'db_cpu_limit',
  'orchestrator_cpu_limit',
  'executor_cpu_limit',
] as const
const MAPS = ['labels', 'annotations'] as const
const LISTS = [
  'image_pull_secrets',
  'volumes',
  'volume_mounts',
  'init_containers',
  'sidecars',
] as const

const count = z.int().min(0).max(1_000_000_000).nullish()
const map = z.record(line(256), line(4096)).nullish()
const list = z
  .array(z.record(line(256), z.unknown()))
  .max(50)
  .nullish()

/** CPUs are kept with one decimal. */
function cpu(max: number) {
  return z
    .number()
    .min(0.1)
    .max(max)
    .overwrite((value) => Math.round(value * 10) / 10)
    .nullish()
}

function each<Name extends string, Schema>(names: readonly Name[], schema: Schema) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>
}

const MAX_DEPTH = 20
const MAX_LENGTH = 64 * 1024

const ResourceSpecSchema = z
  .object({
    ...each(COUNTS, count),
    ...each(CPUS, cpu(8)),
    ...each(CPU_LIMITS, cpu(16)),
    ...each(MAPS, map),
    ...each(LISTS, list),
    service_account_name: line(256).nullish(),
  })
  .refine(isShallow, `Expected at most ${MAX_DEPTH} levels and ${MAX_LENGTH} characters`)
  .openapi('ResourceSpec')

/** The lists contain any JSON: storing or answering it must not exhaust the stack. */
function isShallow(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false
    level = level.flatMap((one) =>
      one !== null && typeof one === 'object' ? Object.values(one) : [],
    )
  }
  return JSON.stringify(value).length <= MAX_LENGTH
}

const StandingWebhookSchema = z
  .object({ url: z.string(), events: z.enum(WEBHOOK_EVENTS) })
  .openapi('DeploymentWebhook')

/** `events`: all ends of runs, the default, or only those with status `error` or `timeout`. */
const StandingWebhooksSchema = z
  .array(
    z.object({
      url: line(2048).refine(
        isStandingUrl,
        'Expected a whole http or https URL without a password',
      ),
      events: z.enum(WEBHOOK_EVENTS).default('all'),
    }),
  )
  .max(MAX_STANDING_WEBHOOKS)
  .refine((all) => new Set(all.map(({ url }) => url)).size === all.length, 'Expected each URL once')

/**
 * Every member may be absent or null; separate rules check which ones a source needs or refuses
 * (400, not 422). `repo_url`, `integration_id`, `deployment_type`, `listener_id` and
 * `listener_config` cannot change after creation. `parked_threads` is Runyard's own: whether a revision
 * that cannot continue threads in the middle of a graph is deployed (`warn`, the default) or not
 * (`block`). So is `webhooks`: they get the ends of all runs; an empty list removes them. An empty `install_command` or
 * `build_command` removes it. `custom_url` is ignored: Runyard sets it.
 */
export const SourceConfigRequestSchema = z
  .object({
    integration_id: Uuid.nullish(),
    repo_url: line(2048).nullish(),
    deployment_type: line(64).nullish(),
    build_on_push: z.boolean().nullish(),
    custom_url: line(2048).nullish(),
    resource_spec: nullishOf(ResourceSpecSchema),
    listener_id: Uuid.nullish(),
    listener_config: z.object({ k8s_namespace: line(256).nullish() }).nullish(),
    install_command: line(2048).nullish(),
    build_command: line(2048).nullish(),
    parked_threads: z.enum(PARKED_THREADS_RULES).nullish(),
    webhooks: StandingWebhooksSchema.nullish(),
  })
  .openapi('SourceConfigRequest')

/** Another source for one revision; absent: the deployment's. */
export const RevisionSource = z
  .enum(SOURCES)
  .extract(SOURCES.filter((source) => kindOf(source).isForOneRevision))
  .nullish()

export type SourceConfigRequest = z.infer<typeof SourceConfigRequestSchema>

/** Every member present; `custom_url` is the deployment's address. */
export const SourceConfigSchema = z
  .object({
    integration_id: z.string().nullable(),
    repo_url: z.string().nullable(),
    deployment_type: z.string().nullable(),
    build_on_push: z.boolean().nullable(),
    custom_url: z.string().nullable(),
    resource_spec: z.record(z.string(), z.unknown()).nullable(),
    listener_id: z.string().nullable(),
    listener_config: z.record(z.string(), z.unknown()).nullable(),
    install_command: z.string().nullable(),
    build_command: z.string().nullable(),
    parked_threads: z.enum(PARKED_THREADS_RULES).nullable(),
    webhooks: z.array(StandingWebhookSchema),
  })
  .openapi('SourceConfig')

/** The configuration of one revision; members may be absent or null. */
export const SourceRevisionConfigRequestSchema = z
  .object({
    repo_ref: line(256).nullish(),
    langgraph_config_path: line(1024).nullish(),
    image_uri: line(1024).nullish(),
    source_tarball_path: line(1024).nullish(),
  })
  .openapi('SourceRevisionConfigRequest')

export type SourceRevisionConfigRequest = z.infer<typeof SourceRevisionConfigRequestSchema>

export const SourceRevisionConfigSchema = z
  .object({
    repo_ref: z.string().nullable(),
    langgraph_config_path: z.string().nullable(),
    image_uri: z.string().nullable(),
    source_tarball_path: z.string().nullable(),
    repo_commit_sha: z.string().nullable(),
    image_digest: z.string().nullable(),
  })
  .openapi('SourceRevisionConfig')

/** The query of a signed URL. Without it, the signature is wrong (403), not the request (422). */
export const SignedQuerySchema = z.object({
  expires: z.coerce.number().int().catch(0).openapi({ type: 'integer' }),
  signature: z.string().catch('').openapi({ type: 'string' }),
})

/** A folder, packed. */
export const GZIP = {
  'application/gzip': { schema: { type: 'string', format: 'binary' } },
} as const
