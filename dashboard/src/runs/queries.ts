import type { Command, Config, Run, StreamMode } from '@langchain/langgraph-sdk'
import type { WebhookDelivery as Delivery, TimelineSpan as Span, Timeline } from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { isActive } from '../api/run-state.ts'

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
