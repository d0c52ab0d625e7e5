/**
 * The log: one JSON object a line, on standard error, so that standard output is free for the results of
 * commands.
 */
import { type DestinationStream, destination, pino } from 'pino'
import { LOG_LEVELS, type Log, type LogControl, type LogLevel } from '../core/log.ts'
import { currentOrigin } from '../core/origin.ts'
import { maskSecrets, withoutSecrets } from './redaction.ts'

/**
 * Makes a log of everything at `level` or above. Lines have `level` as a word, `time` in ISO 8601, `pid`, the ids of
 * the request, thread and run that the work belongs to (`core/origin.ts`), the fields, and the sentence as `msg`.
 * Errors have type, message, stack and causes. Texts that look like secrets are replaced (`redaction.ts`).
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
