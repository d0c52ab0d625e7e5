/** Reads build and deploy logs from the files that builders and runtime drivers write. */
import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readLine } from '../core/deployment/log-source.ts'
import {
  comparePositions,
  entryId,
  type LogEntry,
  type LogKind,
  type LogPosition,
  type LogQuery,
  type LogSource,
  parseEntryId,
  type RevisionLogs,
} from '../core/deployment/revision-log.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { levelOf, messageOf } from './log-line.ts'

interface RevisionLogsOptions {
  /**
   * The files of a revision's log: the current one, then the older ones. `log-file.ts` describes their
   * lines.
   */
  paths(kind: LogKind, revision_id: string): string[]
}

/** A line to search, with its source. */
interface SourceLine {
  at: LogPosition
  text: string
  source: LogSource
}

/** By how much the time of a file's last change may lag behind the times of its lines, in ms. */
const CHANGE_LAG_MS = 1000

export function createRevisionLogs({ paths }: RevisionLogsOptions): RevisionLogs {
  return {
    async read(query) {
      const entries: LogEntry[] = []
      for await (const entry of matchingEntries(query, paths)) {
        // One entry more than requested was found, so there is a next page.
        if (entries.length === query.limit) return { entries, next: entries.at(-1)?.id ?? null }
        entries.push(entry)
      }
      return { entries, next: null }
    },
    async remove(revision_id) {
      const all = [...paths('build', revision_id), ...paths('deploy', revision_id)]
      await Promise.all(all.map((path) => rm(path, { force: true })))
      await Promise.all(all.map((path) => rmdir(dirname(path)).catch(() => {})))
    },
  }
}

async function* matchingEntries(
  query: LogQuery,
  paths: RevisionLogsOptions['paths'],
): AsyncGenerator<LogEntry> {
  const after = query.after === undefined ? undefined : parseEntryId(query.after)
  const streams = await Promise.all(
    query.sources.map((source) => streamOf(source, query, paths(query.kind, source.revision_id))),
  )
  for await (const line of mergeSorted(streams, query)) {
    if (after && signOf(query.order) * comparePositions(line.at, after) <= 0) continue
    const entry = match(line, query)
    if (entry) yield entry
  }
}

function signOf(order: LogQuery['order']): 1 | -1 {
  return order === 'asc' ? 1 : -1
}

async function streamOf(
  source: LogSource,
  query: LogQuery,
  paths: string[],
): Promise<SortedStream> {
  const bound = query.order === 'asc' ? source.sinceMs : await lastChangeMs(paths[0])
  return { bound, open: () => linesOf(source, query, paths) }
}

async function lastChangeMs(path: string | undefined): Promise<number> {
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  return found ? found.mtimeMs + CHANGE_LAG_MS : 0
}

async function* linesOf(
  source: LogSource,
  query: LogQuery,
  paths: string[],
): AsyncGenerator<SourceLine> {
  const files = await openAll(paths)
  const after = query.after === undefined ? undefined : parseEntryId(query.after)
  const isForward = query.order === 'asc'
  const fromMs = Math.max(query.startMs ?? 0, isForward ? (after?.ms ?? 0) : 0)
  const untilMs = Math.min(
    query.endMs ?? Number.MAX_SAFE_INTEGER,
    isForward ? Number.MAX_SAFE_INTEGER : (after?.ms ?? Number.MAX_SAFE_INTEGER),
  )
  const { revision_id } = source
  try {
    for (const file of isForward ? files.toReversed() : files) {
      const lines = isForward ? file.forward(fromMs, untilMs) : file.backward(fromMs, untilMs)
      for await (const { ms, offset, text } of lines) {
        yield { at: { ms, revision_id, fileMs: file.firstMs, offset }, text, source }
      }
    }
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

/** Opens the files, the newest first. A file that was renamed meanwhile is opened twice and kept once. */
async function openAll(paths: string[]): Promise<LogFile[]> {
  const files: LogFile[] = []
  for (const path of paths) {
    const file = await openLogFile(path)
    if (!file) continue
    if (files.some(({ inode }) => inode === file.inode)) await file.close()
    else files.push(file)
  }
  return files
}

function match({ at, text, source }: SourceLine, query: LogQuery): LogEntry | undefined {
  const said = query.kind === 'deploy' ? readLine(text) : { text }
  const line = source.mask(said.text)
  const level = levelOf(line)
  if (query.level !== undefined && level !== query.level) return undefined
  if (query.run_id !== undefined && !line.includes(query.run_id)) return undefined
  const message = messageOf(line)
  if (query.query && !message.toLowerCase().includes(query.query.toLowerCase())) return undefined
  const timestamp = new Date(at.ms).toISOString()
  const whose = 'source' in said && { source: said.source }
  return { id: entryId(at), timestamp, level, message, ...whose }
}

// Merges sorted streams into one.

interface SortedStream {
  /** Not greater than any value of the stream. The stream is opened only when it is needed. */
  bound: number
  open(): AsyncGenerator<SourceLine>
}

/** All values in order. Only as many streams are open at a time as overlap. */
async function* mergeSorted(
  streams: readonly SortedStream[],
  { order }: Pick<LogQuery, 'order'>,
): AsyncGenerator<SourceLine> {
  const sign = signOf(order)
  const waiting = streams.toSorted((a, b) => sign * (a.bound - b.bound))
  const open: { value: SourceLine; rest: AsyncGenerator<SourceLine> }[] = []
  const take = async (rest: AsyncGenerator<SourceLine>) => {
    const step = await rest.next()
    if (!step.done) open.push({ value: step.value, rest })
  }
  try {
    for (;;) {
      open.sort((a, b) => sign * comparePositions(a.value.at, b.value.at))
      const first = open[0]
      const next = waiting[0]
      if (next && (!first || sign * (next.bound - first.value.at.ms) <= 0)) {
        waiting.shift()
        await take(next.open())
      } else if (first) {
        open.shift()
        // Puts it back among the open ones first, so that it is closed whatever happens.
        open.push(first)
        yield first.value
        open.pop()
        await take(first.rest)
      } else return
    }
  } finally {
    await Promise.all(open.map(({ rest }) => rest.return(undefined)))
  }
}
