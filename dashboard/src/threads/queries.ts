import type { Thread } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import { askAgent, askForPage } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import type { ThreadStatus } from '../api/states.ts'

/** The fields that a row shows. */
export type FoundThread = Pick<
  Thread,
  'thread_id' | 'created_at' | 'updated_at' | 'metadata' | 'status'
> & { error: string | null }

export interface ThreadQuery {
  status?: ThreadStatus | undefined
  metadata?: Record<string, unknown> | undefined
  values?: Record<string, unknown> | undefined
  ids?: string[] | undefined
  updated_after?: string | undefined
}

export const PAGE_SIZE = 100

/** One page of the list; `total`: the number of threads on all pages. */
export function threadsQuery(server: AgentServer, query: ThreadQuery, page: number) {
  return queryOptions({
    queryKey: [server.key, 'threads', 'list', query, page],
    queryFn: (context) =>
      readAgain(server, context, (asked) => searchThreads(asked, query, page, context.signal)),
    refetchInterval: page === 0 ? 5_000 : false,
    staleTime: 10_000,
  })
}

async function searchThreads(
  server: AgentServer,
  query: ThreadQuery,
  page: number,
  signal: AbortSignal,
): Promise<{ threads: FoundThread[]; total: number }> {
  const which = {
    ...query,
    limit: PAGE_SIZE,
    offset: page * PAGE_SIZE,
    sort_by: 'updated_at',
    select: ['thread_id', 'created_at', 'updated_at', 'metadata', 'status', 'error'],
  }
  const found = await askForPage<FoundThread[]>(server, 'POST', '/threads/search', which, signal)
  const counted = Number(found.headers.get('x-pagination-total') ?? found.answer.length)
  // Only the first page needs the exact total.
  const isCounted = counted <= COUNTED_BY_SEARCH || page > 0
  const total = isCounted
    ? counted
    : await askAgent<number>(server, 'POST', '/threads/count', query, signal)
  return { threads: found.answer, total }
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
