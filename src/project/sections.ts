/**
 * The parts of `langgraph.json` that variables replace, by the names that the official server reads. A variable
 * wins over the file, as a container's variable wins over its image.
 */
import type { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { type Environment, splitList } from '../settings/values.ts'
import { AuthEntry } from './auth.ts'
import { CorsEntry, HttpEntry } from './http.ts'
import { StoreSection } from './store.ts'
import { CheckpointerConfig, TtlEntry } from './ttl.ts'
import { WebhooksEntry } from './webhooks.ts'

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
