import type { Thread } from '@langchain/langgraph-sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { afterTyping, askAgent, askForPage } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { type Excerpt, withExcerpts } from '../api/excerpts.ts'
import { readAgain } from '../api/read-again.ts'
import type { ThreadStatus } from '../api/states.ts'

type Row = Pick<Thread, 'thread_id' | 'updated_at' | 'state_updated_at' | 'metadata' | 'status'> & {
  error: string | null
}

/** A thread of a list, with what a row shows of it. */
export interface FoundThread extends Row {
  server: AgentServer
  excerpt?: Excerpt | undefined
  assistant_id: string | undefined
  graph_id: string | undefined
  is_waiting: boolean
}

interface ThreadPage {
  threads: FoundThread[]
  /** The number of threads on all pages. */
  total: number
  /** See `askForPage`. */
  lookedAt: number | undefined
}

export interface ThreadQuery {
  status?: ThreadStatus | undefined
  metadata?: Record<string, unknown> | undefined
  values?: Record<string, unknown> | undefined
  /** Words in the thread, whatever their case. */
  text?: string | undefined
  ids?: string[] | undefined
  updated_after?: string | undefined
}

export const PAGE_SIZE = 100

/** One page of the list. */
export function threadsQuery(server: AgentServer, query: ThreadQuery, page: number) {
  return queryOptions({
    queryKey: [server.key, 'threads', 'list', query, page],
    queryFn: (context) =>
      readAgain(server, context, async (asked) => {
        await afterTyping(query.text, context.signal)
        const found = await searchThreads(asked, query, page, context.signal)
        const known = context.client.getQueryData<ThreadPage>(context.queryKey)?.threads ?? []
        return {
          ...found,
          threads: await withExcerpts(asked, found.threads, known, context.signal),
        }
      }),
    // A search for a text is no poll: it reads up to 16 MiB.
    refetchInterval: page === 0 && query.text === undefined ? 5_000 : false,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
}

async function searchThreads(
  server: AgentServer,
  query: ThreadQuery,
  page: number,
  signal: AbortSignal,
): Promise<ThreadPage> {
  const which = {
    ...query,
    limit: PAGE_SIZE,
    offset: page * PAGE_SIZE,
    sort_by: 'updated_at',
    select: ['thread_id', 'updated_at', 'state_updated_at', 'metadata', 'status', 'error'],
  }
  const found = await askForPage<Row[]>(server, 'POST', '/threads/search', which, signal)
  const counted = Number(found.headers.get('x-pagination-total') ?? found.answer.length)
  // Only the first page needs the exact total.
  const isCounted = counted <= COUNTED_BY_SEARCH || page > 0
  const total = isCounted
    ? counted
    : await askAgent<number>(server, 'POST', '/threads/count', query, signal)
  const threads = found.answer.map((row): FoundThread => {
    const { assistant_id, graph_id } = (row.metadata ?? {}) as Record<string, string | undefined>
    return { ...row, server, assistant_id, graph_id, is_waiting: row.status === 'interrupted' }
  })
  return { threads, total, lookedAt: found.lookedAt }
}

/** A search counts at most one more than this. */
const COUNTED_BY_SEARCH = 1_000

export function threadQuery(server: AgentServer, thread_id: string) {
  return queryOptions({
    queryKey: [server.key, 'threads', thread_id],
    queryFn: (context) => readAgain(server, context, ({ client }) => client.threads.get(thread_id)),
    refetchInterval: 3_000,
  })
}

/** The storage of the thread's history, in bytes. */
export interface StorageUse {
  checkpoints: { count: number; bytes: number }
  channel_values: { count: number; bytes: number }
  pending_writes: { count: number; bytes: number }
}
