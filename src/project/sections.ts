/**
 * The parts of `langgraph.json` that variables replace, by the names that the official server reads. A variable
 * wins over the file, as a container's variable wins over its image.
 */
import { z } from 'zod'
import type { TtlConfig } from '../core/agent/server/project-settings.ts'
import { TTL_STRATEGIES } from '../core/agent/thread.ts'
import type { WebhookConfig } from '../core/agent/webhook.ts'
import { AppError } from '../core/errors.ts'
import { type Environment, splitList } from '../settings/values.ts'
import { AuthEntry } from './auth.ts'
import { CorsEntry, HttpEntry } from './http.ts'
import { Minutes, StoreSection } from './store.ts'

const MAX_URL_LENGTH = 65_536

const WebhooksEntry = z.looseObject({
  env_prefix: z.string().min(1, 'write what variables begin with, such as "LG_WEBHOOK_"').nullish(),
  allowed_fields: z.array(z.string().min(1), 'write a list of fields, such as "status"').nullish(),
  headers: z.record(z.string(), z.string(), 'write a map of names and values').nullish(),
  url: z
    .looseObject({
      allowed_domains: z.array(z.string().min(1), 'write a list of host names').nullish(),
      allowed_ports: z.array(z.int().min(1).max(65_535), 'write a list of ports').nullish(),
      require_https: z.boolean().nullish(),
      disable_loopback: z.boolean().nullish(),
      disable_private_ips: z.boolean().nullish(),
      max_url_length: z.int().min(1).max(MAX_URL_LENGTH).nullish(),
    })
    .nullish(),
})

/** `webhooks` of `langgraph.json`: their content, and where they may go. */
export function readWebhookConfig(webhooks: Sections['webhooks']): WebhookConfig {
  const { env_prefix, headers, allowed_fields, url } = webhooks ?? {}
  return {
    envPrefix: env_prefix ?? 'LG_WEBHOOK_',
    headers: headers ?? {},
    ...(allowed_fields && { allowedFields: allowed_fields }),
    url: {
      allowedDomains: url?.allowed_domains ?? [],
      allowedPorts: url?.allowed_ports ?? [],
      isHttpsRequired: url?.require_https ?? false,
      isLocalRefused: url?.disable_loopback ?? false,
      isPrivateRefused: url?.disable_private_ips ?? false,
      maxLength: url?.max_url_length ?? MAX_URL_LENGTH,
    },
  }
}

const TtlEntry = z.looseObject({
  strategy: z.enum(TTL_STRATEGIES).nullish(),
  default_ttl: Minutes.nullish(),
  sweep_interval_minutes: Minutes.nullish(),
  sweep_limit: z.int().positive().nullish(),
})

/** The part `checkpointer` of the file; only its `ttl` is used. */
const CheckpointerConfig = z.looseObject({ ttl: TtlEntry.nullish() })

/** `checkpointer.ttl` of `langgraph.json`: how long threads are kept. Default: forever. */
export function readTtlConfig(checkpointer: Sections['checkpointer']): TtlConfig {
  const { strategy, default_ttl, sweep_interval_minutes, sweep_limit } = checkpointer?.ttl ?? {}
  return {
    ...(default_ttl && {
      defaultTtl: { strategy: strategy ?? 'delete', ttl_minutes: default_ttl },
    }),
    sweepIntervalMinutes: sweep_interval_minutes ?? 5,
    sweepLimit: sweep_limit ?? 1000,
  }
}

/** What these parts of the file may hold, by key. */
export const SECTIONS = {
  store: StoreSection.nullish(),
  auth: AuthEntry.nullish(),
  http: HttpEntry.nullish(),
  webhooks: WebhooksEntry.nullish(),
  checkpointer: CheckpointerConfig.nullish(),
}

export type Sections = z.infer<z.ZodObject<typeof SECTIONS>>

/**
 * The sections, replaced by `LANGGRAPH_STORE`, `_AUTH`, `_HTTP`, `_WEBHOOKS` and `_CHECKPOINTER` (each the whole
 * section as JSON), `LANGGRAPH_THREAD_TTL` (minutes, or the `ttl` of the checkpointer as JSON), `CORS_CONFIG`,
 * `CORS_ALLOW_ORIGINS` and `MOUNT_PREFIX`. Throws `bad_request`, with a message that names the variable.
 */
export function replaceSections(file: Sections, env: Environment): Sections {
  const read = <S extends z.ZodType>(name: string, schema: S) => readVariable(env, name, schema)
  const http = read('LANGGRAPH_HTTP', SECTIONS.http) ?? file.http
  const cors = corsOf(read('CORS_CONFIG', CorsEntry.nullish()) ?? http?.cors, env)
  const checkpointer = read('LANGGRAPH_CHECKPOINTER', SECTIONS.checkpointer) ?? file.checkpointer
  const ttl = readThreadTtl(env)
  return {
    store: read('LANGGRAPH_STORE', SECTIONS.store) ?? file.store,
    auth: read('LANGGRAPH_AUTH', SECTIONS.auth) ?? file.auth,
    http: {
      ...http,
      ...(cors && { cors }),
      ...(env.MOUNT_PREFIX && { mount_prefix: env.MOUNT_PREFIX }),
    },
    webhooks: read('LANGGRAPH_WEBHOOKS', SECTIONS.webhooks) ?? file.webhooks,
    checkpointer: ttl ? { ...checkpointer, ttl } : checkpointer,
  }
}

/** Named origins may send cookies, as on the official server. */
function corsOf(cors: z.infer<typeof CorsEntry> | null | undefined, env: Environment) {
  const origins = splitList(env.CORS_ALLOW_ORIGINS)
  if (origins.length === 0) return cors
  if (cors) return { ...cors, allow_origins: cors.allow_origins ?? origins }
  return { allow_origins: origins, allow_credentials: !origins.includes('*') }
}

function readThreadTtl(env: Environment): z.infer<typeof TtlEntry> | null | undefined {
  const name = 'LANGGRAPH_THREAD_TTL'
  const text = env[name]?.trim()
  if (!text || text.startsWith('{')) return readVariable(env, name, TtlEntry.nullish())
  const minutes = Number(text)
  if (minutes > 0 && Number.isFinite(minutes)) return { default_ttl: minutes }
  const form = 'write a number of minutes above 0, or {"default_ttl": …, "strategy": …}'
  throw new AppError('bad_request', `${name}: ${form}, not "${text}".`)
}

/** `undefined`: it is not set. */
function readVariable<S extends z.ZodType>(
  env: Environment,
  name: string,
  schema: S,
): z.infer<S> | undefined {
  const text = env[name]
  if (!text) return undefined
  const result = schema.safeParse(parse(text, name))
  if (result.success) return result.data
  throw new AppError('bad_request', `${name}: ${firstIssue(result.error)}.`)
}

/** The first problem, with its place. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.map(String).join('.')
  return `${place && `"${place}": `}${issue?.message}`
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = (cause as SyntaxError).message
    throw new AppError('bad_request', `${name} is not JSON: ${message}.`, { cause })
  }
}
