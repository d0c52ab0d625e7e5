/** How much is said: what is at the level or after it in this list; at `silent` nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What the parts log through; `telemetry/` provides it. Fields first, then a sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** The same log with these fields on every line. */
  child(fields: object): Log
}

/** For tests and for parts that were given none. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
}
