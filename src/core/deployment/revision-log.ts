/** The output of a revision's build and of its agent servers, read page by page. */

import type { LineSource } from './log-source.ts'

export const LOG_ENTRY_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export type LogEntryLevel = (typeof LOG_ENTRY_LEVELS)[number]

/** One line of a log. */
export interface LogEntry {
  /** Stays the same each time the line is read. It is also the place to continue from (`LogQuery.after`). */
  id: string
  /** ISO 8601, UTC, milliseconds. */
  timestamp: string
  level: LogEntryLevel
  message: string
  /** Only of deploy logs. */
  source?: LineSource
}

/** `build`: fetching, installing, building. `deploy`: the output of the agent servers. */
export type LogKind = 'build' | 'deploy'

/** A revision whose log is to be read. */
export interface LogSource {
  revision_id: string
  /** When the revision was made, in ms since 1970: none of its lines is older. */
  sinceMs: number
  /** Removes the secrets from a line. This is done before anything is searched for. */
  mask(text: string): string
}

export interface LogQuery {
  kind: LogKind
  /** Their lines are merged by time. */
  sources: LogSource[]
  order: 'asc' | 'desc'
  /** How many entries at most. */
  limit: number
  /** The id of an entry: the page begins with the entry behind it, in this order. */
  after?: string | undefined
  /** Only entries of exactly this level. */
  level?: LogEntryLevel | undefined
  /** Text in the message, in upper or lower case. */
  query?: string | undefined
  /** Text in the line, such as the id of a run. */
  run_id?: string | undefined
  /** The first and the last moment that count, in ms since 1970. */
  startMs?: number | undefined
  endMs?: number | undefined
}

export interface LogPage {
  entries: LogEntry[]
  /** The `after` of the next page. `null`: there is nothing more at present. */
  next: string | null
}

export interface RevisionLogs {
  /** Reads one page of what is there now. Only a few lines are in memory at a time. */
  read(query: LogQuery): Promise<LogPage>
  /** Removes the revision's logs; it is no error when there are none. */
  remove(revision_id: string): Promise<void>
}

/** The place of a line: by time, and by the order of writing where the times are equal. */
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

/** Returns `undefined` for a text that is not the id of an entry. */
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
