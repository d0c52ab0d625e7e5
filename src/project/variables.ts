/**
 * The agent server's settings in a project's own environment. Each function takes all variables after those of the
 * project are set (`applyProjectEnvironment`).
 */
import { z } from 'zod'
import { PATCHES, type Patch } from '../core/agent/host/patches.ts'
import {
  isStandingUrl,
  MAX_STANDING_WEBHOOKS,
  type StandingWebhook,
  WEBHOOK_EVENTS,
} from '../core/agent/webhook.ts'
import { AppError } from '../core/errors.ts'
import { LOG_LEVELS, type LogLevel } from '../core/log.ts'
import { OTLP_PROTOCOLS } from '../core/tracing.ts'
import { pick, Settings } from '../settings/settings.ts'
import { rowOf } from '../settings/table.ts'
import { type Environment, splitList } from '../settings/values.ts'

const GraphConfigs = z.record(z.string(), z.record(z.string(), z.json()))

/**
 * `LANGGRAPH_CONFIG`: the configuration of the graphs' own assistants, a JSON object by graph, whose `context` is the
 * assistant's context; unset: none.
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

/** `RUNYARD_PATCHES_OFF`: names of patches, or `all`; unset: none. Throws `bad_request`. */
export function readPatchesOff(env: Environment): readonly Patch[] {
  const names = splitList(env.RUNYARD_PATCHES_OFF)
  if (names.includes('all')) return PATCHES
  const unknown = names.find((name) => !PATCHES.some((patch) => patch === name))
  if (unknown === undefined) return PATCHES.filter((patch) => names.includes(patch))
  const form = `"all", or some of ${PATCHES.join(', ')}`
  throw new AppError('bad_request', `RUNYARD_PATCHES_OFF must be ${form}, not "${unknown}".`)
}

/**
 * Whether `NODE_OPTIONS` has `--enable-source-maps`. A deployment's variables are set after Node has read that, so that
 * the server does what it asks for.
 */
export function readHasSourceMaps(env: Environment): boolean {
  return (env.NODE_OPTIONS ?? '').split(/\s+/).includes('--enable-source-maps')
}

/** Python's names of levels beside our own. */
const LEVELS: Readonly<Record<string, LogLevel>> = { warning: 'warn', critical: 'error' }

/**
 * `LOG_LEVEL`, in any case, with Python's names of levels too; `undefined`: unset, or `RUNYARD_LOG_LEVEL` is set, which
 * wins. Throws `bad_request`.
 */
export function readLogLevel(env: Environment): LogLevel | undefined {
  if (!env.LOG_LEVEL || env.RUNYARD_LOG_LEVEL) return undefined
  const name = env.LOG_LEVEL.toLowerCase()
  const level = LEVELS[name] ?? LOG_LEVELS.find((one) => one === name)
  if (level) return level
  const form = 'DEBUG, INFO, WARNING, ERROR or SILENT'
  throw new AppError('bad_request', `LOG_LEVEL must be ${form}, not "${env.LOG_LEVEL}".`)
}

const UNIT_MS = { seconds: 1_000, minutes: 60_000 }

type TimeSetting =
  | 'BG_JOB_TIMEOUT_SECS'
  | 'BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS'
  | 'EVENT_RETENTION_MINUTES'

/**
 * A number of the setting's unit, also a fraction, in ms: above 0, or its least value. The settings table describes
 * each, with its default. Throws `bad_request`.
 */
export function readTimeMs(env: Environment, name: TimeSetting): number {
  const row = rowOf(name)
  const { unit, default: fallback } = row
  const least = 'min' in row ? row.min : undefined
  const text = env[name]
  const count = text ? Number(text) : fallback
  if ((count > 0 || count === least) && Number.isFinite(count)) return count * UNIT_MS[unit]
  const form = `a number of ${unit} ${least === undefined ? 'above 0' : `from ${least} on`}`
  throw new AppError('bad_request', `${name} must be ${form}, not "${text}".`)
}

/** The whole number of a setting, or its default; the settings table describes each. Throws `bad_request`. */
export function readCount<N extends 'BG_JOB_MAX_RETRIES' | 'LANGGRAPH_DEFAULT_RECURSION_LIMIT'>(
  env: Environment,
  name: N,
) {
  const read = new Settings({}, env)
  return read.done({ count: read.get(name) }).count
}

/**
 * Whether the project's variables ask LangChain to trace to LangSmith. Read it after the project's own environment is
 * set.
 */
export function readIsLangSmithUsed(env: Environment): boolean {
  const names = ['LANGSMITH_TRACING', 'LANGCHAIN_TRACING_V2', 'LANGSMITH_TRACING_V2']
  return names.some((name) => env[name] === 'true')
}

/** The LangSmith project to which graphs trace, as LangSmith's clients read it. Default "default". */
export function readLangSmithProject(env: Environment): string {
  return env.LANGSMITH_PROJECT || env.LANGCHAIN_PROJECT || env.LANGCHAIN_SESSION || 'default'
}

/**
 * Which signals OpenTelemetry's usual variables ask to send, and whether they name this service: each of the three if
 * they say where it goes, unless its exporter is `none`. Metrics are sent by OTLP only, since Prometheus reads
 * `/metrics`. Read it after the project's own environment is set.
 */
export function readTelemetry(env: Environment) {
  const isSent = (signal: 'TRACES' | 'METRICS' | 'LOGS') => {
    const exporter = env[`OTEL_${signal}_EXPORTER`]
    const isOff = env.OTEL_SDK_DISABLED === 'true' || splitList(exporter).includes('none')
    const names = ['ENDPOINT', `${signal}_ENDPOINT`].map((name) => `OTEL_EXPORTER_OTLP_${name}`)
    return !isOff && [...names, `OTEL_${signal}_EXPORTER`].some((name) => env[name])
  }
  const isOtlp = splitList(env.OTEL_METRICS_EXPORTER || 'otlp').includes('otlp')
  const protocol =
    env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf'
  const intervalMs = Number(env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000
  const timeoutMs = Math.min(Number(env.OTEL_METRIC_EXPORT_TIMEOUT) || 30_000, intervalMs)
  return {
    traces: isSent('TRACES'),
    ...(isSent('METRICS') &&
      isOtlp && {
        metrics: {
          protocol: OTLP_PROTOCOLS.find((one) => one === protocol) ?? 'http/protobuf',
          ...{ intervalMs, timeoutMs },
        },
      }),
    logs: isSent('LOGS'),
    hasServiceName: !!env.OTEL_SERVICE_NAME,
  }
}

const StandingWebhooks = z
  .array(
    z.object({
      url: z.string().refine(isStandingUrl),
      events: z.enum(WEBHOOK_EVENTS).default('all'),
    }),
  )
  .max(MAX_STANDING_WEBHOOKS)

/**
 * `RUNYARD_WEBHOOKS`: the webhooks that get the ends of all runs, as JSON; unset: none. A control plane sets it from
 * `source_config.webhooks` of the deployment. Throws `bad_request`.
 */
export function readStandingWebhooks(env: Environment): StandingWebhook[] {
  const text = env.RUNYARD_WEBHOOKS
  if (!text) return []
  try {
    return StandingWebhooks.parse(JSON.parse(text))
  } catch (cause) {
    throw new AppError(
      'bad_request',
      `RUNYARD_WEBHOOKS must be JSON such as [{"url": "https://…", "events": "failures"}], with at most ${MAX_STANDING_WEBHOOKS} webhooks.`,
      { cause },
    )
  }
}

/** The shortest accepted secret, in bytes; the specification of Standard Webhooks says 24. */
const MIN_WEBHOOK_SECRET_BYTES = 24

/**
 * `RUNYARD_WEBHOOK_SECRET`: the secret that signs webhooks, `whsec_` and base64; several, separated by commas, sign
 * side by side. Unset: none. And the variables that header templates may name. Read it after the project's own
 * environment is set. Throws `bad_request`.
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
