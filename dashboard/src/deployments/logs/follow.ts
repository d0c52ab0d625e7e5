/**
 * Reads a log from its end backwards and follows it forwards. Loaded lines are kept, new ones are appended, and older
 * ones are loaded when the user scrolls up.
 */
import type { LogEntry } from '@runyard/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type LogFilters, type LogPlace, readLog } from './queries.ts'

const PAGE = 500
/** Polling interval for new lines, in ms. */
const PACE = 1_000
/** Most lines kept; the oldest are dropped first. */
const MAX_LINES = 50_000
/** Number of lines up to which a range with a start is loaded without a click. */
const FILL_LINES = 5_000

export interface FollowedLog {
  entries: readonly LogEntry[]
  /** Whether the first read is over. */
  isRead: boolean
  error: unknown
  /** Loads older lines; undefined: there are none. */
  readOlder: (() => Promise<void>) | undefined
  /** Gives up `line`: the next read is at the end. */
  leaveLine: () => void
}

interface Read {
  entries: LogEntry[]
  /** The cursor of the older lines; null: there are none. */
  older: string | null
  error?: unknown
}

/**
 * `line`: the id of an entry to start around, instead of at the end; only its first value counts. A pause keeps the
 * loaded lines, and following continues after the last one.
 */
export function useFollowedLog(
  place: LogPlace,
  filters: LogFilters,
  options: { isFollowing: boolean; line?: string | undefined },
): FollowedLog {
  const { isFollowing } = options
  const asked = JSON.stringify([place, filters])
  const [start, setStart] = useState(options.line && { asked, line: options.line })
  const line = start && start.asked === asked ? start.line : undefined
  const key = JSON.stringify([place, filters, line])
  const [read, setRead] = useState<(Read & { key: string }) | undefined>()
  const held = useRef<typeof read>(undefined)
  const now = read?.key === key ? read : undefined
  const update = useCallback(
    (change: (before: Read) => Read) => {
      const before = held.current?.key === key ? held.current : EMPTY
      const after = change(before)
      if (after === before) return
      held.current = { ...after, key }
      setRead(held.current)
    },
    [key],
  )
  useEffect(() => {
    const [where, what, at] = JSON.parse(key) as [LogPlace, LogFilters, string | null]
    const leaving = new AbortController()
    const { signal } = leaving
    const last = held.current?.key === key ? held.current.entries.at(-1) : undefined
    const following = { place: where, filters: what, line: at ?? undefined, isFollowing, signal }
    void follow(following, last, update)
    return () => leaving.abort()
  }, [key, isFollowing, update])
  const readOlder = useCallback(async () => {
    const [where, what] = JSON.parse(key) as [LogPlace, LogFilters]
    const offset = now?.older
    if (!offset) return
    const page = { ...what, order: 'desc', limit: PAGE, offset } as const
    const { logs, next_offset } = await readLog(where, page)
    if (held.current?.key !== key || held.current.older !== offset) return
    const older = logs.toReversed()
    update((before) => ({ ...before, entries: [...older, ...before.entries], older: next_offset }))
  }, [key, now?.older, update])
  const hasRoom = (now?.entries.length ?? 0) < FILL_LINES
  useEffect(() => {
    // An error leaves the button for older lines.
    if (filters.start_time && !line && hasRoom) readOlder().catch(() => undefined)
  }, [filters.start_time, line, hasRoom, readOlder])
  return {
    entries: now?.entries ?? [],
    isRead: now !== undefined,
    error: now?.error,
    readOlder: now?.older ? readOlder : undefined,
    leaveLine: useCallback(() => setStart(undefined), []),
  }
}

const EMPTY: Read = { entries: [], older: null }

interface Following {
  place: LogPlace
  filters: LogFilters
  line: string | undefined
  isFollowing: boolean
  signal: AbortSignal
}

/** `known`: the last line that is already loaded. */
async function follow(
  following: Following,
  known: LogEntry | undefined,
  update: (change: (before: Read) => Read) => void,
) {
  const { signal } = following
  let last = known
  try {
    const first = last ? undefined : await firstRead(following)
    last ??= first?.entries.at(-1)
    if (first && !signal.aborted) update(() => first)
  } catch (error) {
    if (!signal.aborted) update((before) => ({ ...before, error }))
  }
  while (following.isFollowing && !signal.aborted) {
    await pause(PACE, signal)
    if (document.hidden || signal.aborted) continue
    try {
      const newer = await readNewer(following, last)
      last = newer.at(-1) ?? last
      update((before) => added(before, newer))
    } catch (error) {
      if (!signal.aborted) update((before) => ({ ...before, error }))
    }
  }
}

/**
 * The entries after the last line, read from the end of the log back to it. For a forward read of a build log the
 * server holds back the revision's status until the log is read (as the official command needs it).
 */
async function readNewer(
  { place, filters, signal }: Following,
  last: LogEntry | undefined,
): Promise<LogEntry[]> {
  const since = last && { start_time: last.timestamp }
  const newer: LogEntry[] = []
  for (let offset: string | undefined; ; ) {
    const page = { ...filters, ...since, order: 'desc', limit: PAGE, offset } as const
    const { logs, next_offset } = await readLog(place, page, signal)
    const known = logs.findIndex(({ id }) => id === last?.id)
    newer.push(...(known < 0 ? logs : logs.slice(0, known)))
    if (known >= 0 || next_offset === null || newer.length >= MAX_LINES) return newer.reverse()
    offset = next_offset
  }
}

/** The end of the log; with `line`, the entries before and after that line. */
async function firstRead({ place, filters, line, signal }: Following): Promise<Read> {
  if (line === undefined) {
    const { logs, next_offset } = await readLog(
      place,
      { ...filters, order: 'desc', limit: PAGE },
      signal,
    )
    return { entries: logs.toReversed(), older: next_offset }
  }
  const [before, after] = await Promise.all([
    readLog(place, { ...filters, order: 'desc', limit: 100, offset: line }, signal),
    readLog(place, { ...filters, order: 'asc', limit: 1, start_time: momentOf(line) }, signal),
  ])
  const [itself] = after.logs
  const rest = itself
    ? await readLog(place, { ...filters, order: 'asc', limit: PAGE, offset: itself.id }, signal)
    : { logs: [] }
  const from = new Set(before.logs.map(({ id }) => id))
  const later = [...after.logs, ...rest.logs].filter(({ id }) => !from.has(id))
  return { entries: [...before.logs.toReversed(), ...later], older: before.next_offset }
}

/** An entry's id begins with its time. */
function momentOf(line: string): string {
  const ms = Number.parseInt(line.split('.')[0] ?? '0', 36)
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString()
}

function added(before: Read, logs: LogEntry[]): Read {
  const { error: _, ...kept } = before
  if (logs.length === 0) return before.error === undefined ? before : kept
  return { ...kept, entries: [...before.entries, ...logs].slice(-MAX_LINES) }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      settle()
    })
  })
}
