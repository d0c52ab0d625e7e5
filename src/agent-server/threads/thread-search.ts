/** Searches threads. */
import type { z } from '@hono/zod-openapi'
import type { Caller } from '../../core/agent/authorization.ts'
import { excerptOfThread } from '../../core/agent/excerpt.ts'
import type { Thread, ThreadPage, ThreadQuery } from '../../core/agent/thread.ts'
import { selectionOf } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { AnswerHold } from '../answer-budget.ts'
import { type ExtractPath, extractFrom } from './extract.ts'
import { ThreadSchema } from './thread-schemas.ts'

type ThreadSearch = Omit<ThreadQuery, 'filter'> &
  Omit<ThreadPage, 'hasState'> & {
    /** The fields to return; empty: all. */
    select: (keyof Thread | 'excerpt')[]
    /** Single values to add in `extracted`. */
    extract: Record<string, ExtractPath>
    /** A text that they mention. */
    text?: string
  }

/** A thread on the wire, with the selected fields, although the type promises all of them. */
type FoundThread = z.infer<typeof ThreadSchema>

/**
 * How many threads a page's total counts at most. Counting a million threads takes much longer than finding a
 * page of them, and clients that poll would count them each time.
 */
export const COUNTED_THREADS = 1_000

/**
 * One page of the threads that the caller may see, cut at `pageBytes`. `hold` reserves its size before it is read, and
 * that of each part in which a text is searched.
 * `total` counts all pages, up to one more than `COUNTED_THREADS`, and in any case up to the first thread of the
 * next page. `lookedAt`: the search for a text ended after so many threads, and there are more.
 */
export async function searchThreads(
  parts: Pick<Parts, 'store' | 'authorize' | 'limits'>,
  caller: Caller,
  { select, extract, text, sort_by, sort_order, limit, offset, ...query }: ThreadSearch,
  hold?: Pick<AnswerHold, 'atLeast'>,
): Promise<{ threads: FoundThread[]; total: number; lookedAt?: number }> {
  const seen = await narrow(parts, caller, query)
  const page = { sort_by, sort_order, limit, offset }
  const hasState = needsState(select, extract)
  const onBytes = (bytes: number) => hold?.atLeast(bytes)
  const size = { maxBytes: parts.limits.pageBytes, onBytes }
  const { threads: store } = parts.store
  if (text !== undefined) {
    const { ids, ...bound } = await store.findText(seen, text, { sort_by, sort_order }, onBytes)
    // Again with the whole query: since then a thread may have been dropped, or have got another owner.
    const ofPage = ids.slice(offset, offset + limit)
    const again = { ...page, offset: 0, hasState }
    const { threads: found, isCut } = await store.searchUpTo({ ...seen, ids: ofPage }, again, size)
    const threads = found.map((thread) => present(thread, select, extract))
    const gone = isCut ? 0 : ofPage.length - found.length
    return { threads, total: ids.length - gone, ...bound }
  }
  const { threads: found, isCut } = await store.searchUpTo(seen, { ...page, hasState }, size)
  const isLastPage = !isCut && found.length < limit && (found.length > 0 || offset === 0)
  const atMost = Math.max(COUNTED_THREADS, offset + limit) + 1
  const total = isLastPage ? offset + found.length : await parts.store.threads.count(seen, atMost)
  return { threads: found.map((thread) => present(thread, select, extract)), total }
}

/** The number of threads that the caller may see. */
export async function countThreads(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  query: Omit<ThreadQuery, 'filter'>,
): Promise<number> {
  return parts.store.threads.count(await narrow(parts, caller, query))
}

async function narrow(
  parts: Pick<Parts, 'authorize'>,
  caller: Caller,
  query: Omit<ThreadQuery, 'filter'>,
): Promise<ThreadQuery> {
  const value = { ...query, metadata: { ...query.metadata } }
  const filter = await parts.authorize(caller, { resource: 'threads', action: 'search' }, value)
  return { ...value, ...(filter && { filter }) }
}

const STATE_FIELDS: readonly string[] = ['values', 'interrupts', 'excerpt']

function needsState(select: ThreadSearch['select'], extract: ThreadSearch['extract']): boolean {
  if (select.length === 0) return true
  const roots = Object.values(extract).map(({ root }) => root)
  return [...select, ...roots].some((field) => STATE_FIELDS.includes(field))
}

function present(
  thread: Thread,
  select: ThreadSearch['select'],
  extract: ThreadSearch['extract'],
): FoundThread {
  const fields = select.filter((field) => field !== 'excerpt')
  const shown =
    select.length > 0 && fields.length === 0 ? {} : selectionOf(ThreadSchema, thread, fields)
  return {
    ...(shown as FoundThread),
    ...(select.includes('excerpt') && { excerpt: excerptOfThread(thread) }),
    ...(Object.keys(extract).length > 0 && { extracted: extractFrom(thread, extract) }),
  }
}
