/** What a revision's build and its agent server have printed, read back page by page. */

export const LOG_ENTRY_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export type LogEntryLevel = (typeof LOG_ENTRY_LEVELS)[number]

/** One line. */
export interface LogEntry {
  /** The same whenever the line is read; also the place to go on from (`LogQuery.after`). */
  id: string
  /** ISO 8601, UTC, milliseconds. */
  timestamp: string
  level: LogEntryLevel
  message: string
}

/** `build`: fetching, installing, building. `deploy`: what its agent servers print. */
export type LogKind = 'build' | 'deploy'

/** A revision whose log is to be read. */
export interface LogSource {
  revision_id: string
  /** When the revision was made, in ms since 1970: nothing of it is older. */
  sinceMs: number
  /** Takes out of a line what nobody may read; done before anything is searched for. */
  mask(text: string): string
}

export interface LogQuery {
  kind: LogKind
  /** Their lines are merged by time. */
  sources: LogSource[]
  order: 'asc' | 'desc'
  /** How many entries at most. */
  limit: number
  /** The id of an entry: what comes after it in this order, without it. */
  after?: string | undefined
  /** This level and no other. */
  level?: LogEntryLevel | undefined
  /** A part of the message, in whatever case. */
  query?: string | undefined
  /** A text that the line has, such as a run's id. */
  run_id?: string | undefined
  /** The first and the last millisecond, since 1970, that count. */
  startMs?: number | undefined
  endMs?: number | undefined
}

export interface LogPage {
  entries: LogEntry[]
  /** The `after` of the next page; `null` when there is nothing more at present. */
  next: string | null
}

export interface RevisionLogs {
  /** Reads what is there now, without holding more than a few lines of it in memory. */
  read(query: LogQuery): Promise<LogPage>
  /** Removes the revision's logs; none is no error. */
  remove(revision_id: string): Promise<void>
}

/** Where a line lies: by time, and in the order of writing where the times are the same. */
export interface LogPosition {
  /** Since 1970. */
  ms: number
  revision_id: string
  /** The time of its file's first line, which stays when the file is renamed. */
  fileMs: number
  /** In its file, in bytes. */
  offset: number
}

export function entryId(at: LogPosition): string {
  return [at.ms.toString(36), at.revision_id, at.fileMs.toString(36), at.offset.toString(36)].join(
    '.',
  )
}

export const ENTRY_ID =
  /^([0-9a-z]{1,9})\.([0-9a-zA-Z_-]{1,100})\.([0-9a-z]{1,9})\.([0-9a-z]{1,9})$/

/** `undefined` for what is no entry's id. */
export function parseEntryId(id: string): LogPosition | undefined {
  const [, ms, revision_id, fileMs, offset] = ENTRY_ID.exec(id) ?? []
  if (!ms || !revision_id || !fileMs || !offset) return undefined
  const read = (digits: string) => Number.parseInt(digits, 36)
  return { ms: read(ms), revision_id, fileMs: read(fileMs), offset: read(offset) }
}

/** Negative when `a` was written first. */
export function comparePositions(a: LogPosition, b: LogPosition): number {
  if (a.ms !== b.ms) return a.ms - b.ms
  if (a.revision_id !== b.revision_id) return a.revision_id < b.revision_id ? -1 : 1
  return a.fileMs - b.fileMs || a.offset - b.offset
}
