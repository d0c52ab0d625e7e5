/**
 * The log: one JSON object a line, on standard error, so that standard output is free for the results of
 * commands.
 */
import { type DestinationStream, destination, pino, stdSerializers } from 'pino'
import { LOG_LEVELS, type Log, type LogControl, type LogLevel } from '../core/log.ts'
import { withSources } from '../core/named-sources.ts'
import { currentOrigin } from '../core/origin.ts'

/**
 * Makes a log of everything at `level` or above. Lines have `level` as a word, `time` in ISO 8601, `pid`, the ids of
 * the request, thread and run that the work belongs to (`core/origin.ts`), the fields, and the sentence as `msg`.
 * Errors have type, message, stack and causes. Texts that look like secrets are replaced.
 *
 * Lines are written at once, so that none is lost when the process ends. `to` is standard error, unless a test passes
 * something else. `mark`: signs each line, right after the `pid` (`core/deployment/log-source.ts`).
 */
export function createLog(
  level: LogLevel,
  to: DestinationStream = destination({ fd: 2, sync: true }),
  mark?: string,
): LogControl {
  const options = {
    level: 'debug',
    base: { pid: process.pid, ...(mark !== undefined && { mark }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecrets },
    // `withoutSecrets` has already serialized the errors, with their causes.
    serializers: { err: (error: unknown) => error },
    hooks: { logMethod: maskMessage },
    mixin: originFields,
  }
  let least = LOG_LEVELS.indexOf(level)
  let listener: ((line: string) => void) | undefined
  const write = (line: string) => {
    to.write(line)
    listener?.(line)
  }
  const log = asLog(pino(options, { write }), (one) => LOG_LEVELS.indexOf(one) >= least)
  return {
    ...log,
    onLine(given) {
      listener = given
    },
    setLevel(other) {
      least = LOG_LEVELS.indexOf(other)
    },
  }
}

/** The fields of the line itself come first. */
function originFields(): object {
  const { request_id, thread_id, run_id, traceparent } = currentOrigin()
  return {
    ...(request_id !== undefined && { request_id }),
    ...(thread_id !== undefined && { thread_id }),
    ...(run_id !== undefined && { run_id }),
    ...(traceparent !== undefined && { trace_id: traceparent.split('-')[1] }),
  }
}

function maskMessage(
  this: pino.Logger,
  [fields, message]: Parameters<pino.LogFn>,
  write: pino.LogFn,
): void {
  write.call(this, fields, maskSecrets(message ?? ''))
}

/** pino passes neither the fields of a child log to a formatter nor a new level to children: both happen here. */
function asLog(logger: pino.Logger, isWanted: (level: LogLevel) => boolean): Log {
  return {
    debug: (fields, message) => void (isWanted('debug') && logger.debug(fields, message)),
    info: (fields, message) => void (isWanted('info') && logger.info(fields, message)),
    warn: (fields, message) => void (isWanted('warn') && logger.warn(fields, message)),
    error: (fields, message) => void (isWanted('error') && logger.error(fields, message)),
    child: (fields) => asLog(logger.child(withoutSecrets(fields)), isWanted),
  }
}

// Keeps secrets out of the log, by the names of fields and by the shape of texts. The names catch secrets that look
// like any other text. The shapes catch secrets inside sentences and stacks.

const REDACTED = '[redacted]'
/** Fields at a greater depth are left out: a log line is no place for a whole object graph. */
const MAX_DEPTH = 8
/** Nor for a text of megabytes, which a project's error may have and which takes seconds to search. */
const MAX_CHARS = 64 * 1024

const SECRET_NAME =
  /secret|token|password|passwd|passphrase|authorization|cookie|credential|key$|^x-runyard-gateway$/i

/** Our own keys and those of common services, `Authorization` values, passwords and signatures in URLs. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b(?:ry|sk|pk|lsv2|gh[opsu]|github_pat|glpat|xox[abp])[-_][\w-]{16,}/g, REDACTED],
  [/\b(bearer) +[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/(\w:\/\/)[^\s/@"\\]{1,512}@/g, `$1${REDACTED}@`],
  [/([?&][\w-]*(?:token|key|secret|signature|password)=)[^&\s#]+/gi, `$1${REDACTED}`],
]

/**
 * A copy of the fields without texts that have the name or the shape of a secret. Errors are serialized, and
 * their stacks name sources. Never throws: unreadable fields are replaced by one that says so.
 */
export function withoutSecrets(fields: object): Record<string, unknown> {
  try {
    return copyMembers(fields, { isSecret: false, parents: [] })
  } catch (error) {
    return { unreadable_fields: maskSecrets(String(error)) }
  }
}

/** The text without everything shaped like a secret; the end of a very long one is left out. */
export function maskSecrets(text: string): string {
  const rest = text.length - MAX_CHARS
  const kept = rest > 0 ? `${text.slice(0, MAX_CHARS)}… [${rest} more characters]` : text
  return SECRET_SHAPES.reduce((masked, [shape, by]) => masked.replace(shape, by), kept)
}

/** `isSecret`: one of the fields around the value has the name of a secret. */
interface Place {
  isSecret: boolean
  parents: readonly object[]
}

function copy(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return place.isSecret ? REDACTED : maskSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (place.parents.length > MAX_DEPTH || place.parents.includes(value)) return '[left out]'
  const inside = { ...place, parents: [...place.parents, value] }
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), inside)
  return Array.isArray(value)
    ? value.map((item) => copy(item, inside))
    : copyMembers(value instanceof Error ? serializeError(value) : value, inside)
}

function copyMembers(object: object, place: Place): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const isSecret = place.isSecret || SECRET_NAME.test(name)
      const isStack = name === 'stack' && typeof value === 'string'
      return [name, copy(isStack ? withSources(value) : value, { ...place, isSecret })]
    }),
  )
}

/** `type`, `message`, `stack`, own fields, and `cause` in the same form. */
function serializeError(error: Error): object {
  const { raw: _raw, ...serialized } = stdSerializers.errWithCause(error)
  return serialized
}
