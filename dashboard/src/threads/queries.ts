import type { Thread } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import { agentFetch } from '../api/agent-fetch.ts'
import { AgentRefusal } from '../api/agent-request.ts'
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
  const found = await ask<FoundThread[]>(server, 'search', which, signal)
  const counted = Number(found.headers.get('x-pagination-total') ?? found.answer.length)
  // Only the first page needs the exact total.
  const isCounted = counted <= COUNTED_BY_SEARCH || page > 0
  const total = isCounted ? counted : (await ask<number>(server, 'count', query, signal)).answer
  return { threads: found.answer, total }
}

/** A search counts at most one more than this. */
const COUNTED_BY_SEARCH = 1_000

async function ask<T>(
  server: AgentServer,
  what: 'search' | 'count',
  body: object,
  signal: AbortSignal,
): Promise<{ answer: T; headers: Headers }> {
  const response = await agentFetch(`${server.url}/threads/${what}`, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  const answer: unknown = await response.json()
  if (!response.ok) {
    throw new AgentRefusal(response.status, `The agent server answered ${response.status}.`)
  }
  return { answer: answer as T, headers: response.headers }
}

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
