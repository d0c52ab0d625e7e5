/**
 * The resources of a deployment: the `ResourceSpec` of LangGraph Platform's API. It is stored and answered as
 * sent, whatever the runtime driver does with it. An update replaces all of it.
 */
import { z } from '@hono/zod-openapi'
import { line } from '../operations/text.ts'

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

export const ResourceSpecSchema = z
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
