/** How much is logged: entries of the level and of later ones in this list; at `silent` none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The log of every part; `telemetry/` provides it. Fields come first, then a sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** The same log with these fields on every line. */
  child(fields: object): Log
}

/** A log, with controls for it and all its children. */
export interface LogControl extends Log {
  setLevel(level: LogLevel): void
  /** Also calls `listener` with each line that is written, as JSON. */
  onLine(listener: (line: string) => void): void
}

/** For tests, and for parts that got no log. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
}
