import type { Command, Config, Run, StreamMode } from '@langchain/langgraph-sdk'
import type { WebhookDelivery as Delivery, TimelineSpan as Span, Timeline } from '@runyard/client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { afterTyping, askAgent } from '../api/agent-request.ts'
import { type AgentServer, atAGlance } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { isActive } from '../api/run-state.ts'
import { hasMore, nextPage, type RunsPage } from './merged-runs.ts'
import { queryOf, type RunsSearch } from './search.ts'

const PACE_MS = 5_000

/** The found runs of one server or of several, page by page. */
export function runsQuery(servers: readonly AgentServer[], search: RunsSearch) {
  return infiniteQueryOptions({
    queryKey: ['runs', servers.map(({ key }) => key), search],
    queryFn: async ({ pageParam, signal, client, queryKey }) => {
      await afterTyping(search.text, signal)
      const known = client.getQueryData<{ pages: RunsPage[] }>(queryKey)?.pages[0]
      // Polling wakes no deployment.
      const asked = known ? servers.map(atAGlance) : servers
      const before = pageParam === undefined ? known : undefined
      return nextPage(asked, queryOf(search, Date.now()), pageParam, signal, before)
    },
    initialPageParam: undefined as RunsPage | undefined,
    getNextPageParam: (last) => (hasMore(last) ? last : undefined),
    placeholderData: keepPreviousData,
    // A refresh would load every page again, so it only happens while one page is loaded.
    // A search for a text is no poll.
    refetchInterval: ({ state }) =>
      search.text !== undefined || (state.data?.pages.length ?? 0) > 1 ? false : PACE_MS,
  })
}

export interface RunPlace {
  thread_id: string
  run_id: string
}

export function timelineQuery(server: AgentServer, { thread_id, run_id }: RunPlace) {
  return queryOptions({
    queryKey: [server.key, 'runs', run_id, 'timeline'],
    queryFn: () =>
      askAgent<Timeline>(server, 'GET', `/threads/${thread_id}/runs/${run_id}/timeline`),
    refetchInterval: ({ state: { data } }) => (data && data.ended_at !== null ? false : 1_000),
  })
}

/** How many checkpoints of a run its timeline has at most: the first. */
const MOST_CHECKPOINTS = 2_000

/** The first and the last checkpoint of the graph itself; no `last` if the timeline is cut before it. */
export function boundsOf({ checkpoints }: Timeline) {
  const own = checkpoints.filter(({ checkpoint_ns }) => checkpoint_ns === '')
  const isCut = checkpoints.length >= MOST_CHECKPOINTS
  return { first: own[0], last: isCut ? undefined : own.at(-1), isCut }
}

/** A run with the fields that the SDK's type lacks. */
export interface KnownRun extends Run {
  cancel_reason: string | null
  kwargs: {
    input?: Record<string, unknown> | null
    command?: Command
    config: Config
    context?: unknown
    checkpoint?: { checkpoint_id?: string | null } | null
    interrupt_before?: '*' | string[]
    interrupt_after?: '*' | string[]
    stream_mode: StreamMode[]
    stream_subgraphs?: boolean
    durability?: 'sync' | 'async' | 'exit'
    webhook?: string
  }
}

export function runQuery(server: AgentServer, { thread_id, run_id }: RunPlace) {
  return queryOptions({
    queryKey: [server.key, 'runs', run_id],
    queryFn: () => server.client.runs.get(thread_id, run_id) as Promise<KnownRun>,
    refetchInterval: ({ state: { data } }) => (data && !isActive(data) ? false : 2_000),
  })
}

/** One span with its texts. */
export function spanQuery(server: AgentServer, { thread_id, run_id }: RunPlace, span: Span) {
  return queryOptions({
    queryKey: [server.key, 'runs', run_id, 'spans', span.span_id, span.status],
    queryFn: () =>
      askAgent<Span>(
        server,
        'GET',
        `/threads/${thread_id}/runs/${run_id}/timeline/${encodeURIComponent(span.span_id)}`,
      ),
  })
}

export function deliveriesQuery(server: AgentServer, run_id: string) {
  return queryOptions({
    queryKey: [server.key, 'deliveries', 'of run', run_id],
    queryFn: (context) =>
      readAgain(server, context, (asked) =>
        askAgent<Delivery[]>(asked, 'GET', `/webhooks/deliveries?run_id=${run_id}`),
      ),
    refetchInterval: 5_000,
  })
}
