/**
 * What a project's own environment says of its agent server. Each takes all variables as they are
 * once those of the project are in place (`applyProjectEnvironment`).
 */
import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { type Environment, pick, splitList } from '../settings/settings.ts'
import { rowOf } from '../settings/table.ts'

const GraphConfigs = z.record(z.string(), z.record(z.string(), z.json()))

/**
 * `LANGGRAPH_CONFIG`: what the graphs' own assistants are configured with, a JSON object by graph, of
 * which `context` is the assistant's context; unset: nothing.
 */
export function readGraphConfigs(env: Environment): z.infer<typeof GraphConfigs> {
  const text = env.LANGGRAPH_CONFIG
  if (!text) return {}
  try {
    return GraphConfigs.parse(JSON.parse(text))
  } catch (cause) {
    const form = '{"<graph>": {"configurable": {…}, "context": {…}}}'
    throw new AppError('bad_request', `LANGGRAPH_CONFIG must be JSON such as ${form}.`, { cause })
  }
}

/**
 * `BG_JOB_TIMEOUT_SECS`, the platform's name for it: how many seconds a run may take, each attempt
 * by itself; unset: 3,600. Answered in ms. To be read once the project's own environment is in
 * place. Throws `bad_request`.
 */
export function readRunTimeoutMs(env: Environment): number {
  return readTimeMs(env, 'BG_JOB_TIMEOUT_SECS')
}

/**
 * `EVENT_RETENTION_MINUTES`: for how many minutes after the end of a run its streams can be read
 * again; unset: 60. Answered in ms. To be read as the time limit is. Throws `bad_request`.
 */
export function readEventRetentionMs(env: Environment): number {
  return readTimeMs(env, 'EVENT_RETENTION_MINUTES')
}

const UNIT_MS = { seconds: 1_000, minutes: 60_000 }

/** A number above 0, also a broken one, of the setting's unit, in ms. */
function readTimeMs(
  env: Environment,
  name: 'BG_JOB_TIMEOUT_SECS' | 'EVENT_RETENTION_MINUTES',
): number {
  const { unit, default: fallback } = rowOf(name)
  const text = env[name]
  const count = text ? Number(text) : fallback
  if (count > 0 && Number.isFinite(count)) return count * UNIT_MS[unit]
  throw new AppError('bad_request', `${name} must be a number of ${unit} above 0, not "${text}".`)
}

/**
 * Whether the project's variables ask LangChain to trace to LangSmith. To be read once the project's
 * own environment is in place.
 */
export function readIsLangSmithUsed(env: Environment): boolean {
  const names = ['LANGSMITH_TRACING', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING_V2']
  return names.some((name) => env[name] === 'true')
}

/**
 * Whether OpenTelemetry's usual variables say where traces go, and whether they name this service. To
 * be read once the project's own environment is in place.
 */
export function readTracing(env: Environment): {
  isWanted: boolean
  hasServiceName: boolean
} {
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  const names = ['ENDPOINT', 'TRACES_ENDPOINT'].map((name) => `OTEL_EXPORTER_OTLP_${name}`)
  const isSomewhere = [...names, 'OTEL_TRACES_EXPORTER'].some((name) => env[name])
  return { isWanted: isSomewhere && !isOff, hasServiceName: !!env.OTEL_SERVICE_NAME }
}

/** The shortest secret that is taken, in bytes; the specification of Standard Webhooks says 24. */
const MIN_WEBHOOK_SECRET_BYTES = 24

/**
 * `RUNYARD_WEBHOOK_SECRET`: what webhooks are signed with, `whsec_` and base64; several, separated by
 * commas, sign side by side. Unset: none. And the variables that header templates may name. To be
 * read once the project's own environment is in place. Throws `bad_request`.
 */
export function readWebhookEnvironment(
  prefix: string,
  env: Environment,
): { secrets: Buffer[]; env: Record<string, string> } {
  const named = Object.keys(env).filter((name) => name.startsWith(prefix))
  return {
    secrets: splitList(env.RUNYARD_WEBHOOK_SECRET).map(readWebhookSecret),
    env: pick(env, named),
  }
}

function readWebhookSecret(text: string): Buffer {
  const base64 = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text)?.[1] ?? ''
  const secret = Buffer.from(base64, 'base64')
  if (secret.length >= MIN_WEBHOOK_SECRET_BYTES) return secret
  throw new AppError(
    'bad_request',
    `RUNYARD_WEBHOOK_SECRET must be "whsec_" and at least ${MIN_WEBHOOK_SECRET_BYTES} bytes in ` +
      'base64; make one with: echo whsec_$(openssl rand -base64 32)',
  )
}
