import { queryOptions } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { controlPlane } from '../api/control-plane.ts'
import { isAwake } from '../api/deployments.ts'
import type { Delivery, Span, Timeline } from './wire.ts'

/** Deployments by whether they would answer at once. */
export interface Answering {
  awake: { id: string; name: string }[]
  asleep: { id: string; name: string }[]
}

export function answeringQuery() {
  return queryOptions({
    queryKey: ['deployments', 'answering'],
    queryFn: async (): Promise<Answering> => {
      const all = await controlPlane.listDeployments()
      const serving = all.filter((one) => one.active_revision_id !== null)
      const states = await Promise.all(serving.map(({ id }) => isAwake(id)))
      const briefOf = ({ id, name }: (typeof all)[number]) => ({ id, name })
      return {
        awake: serving.filter((_, at) => states[at]).map(briefOf),
        asleep: serving.filter((_, at) => !states[at]).map(briefOf),
      }
    },
    refetchInterval: 15_000,
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

export function runQuery(server: AgentServer, { thread_id, run_id }: RunPlace) {
  return queryOptions({
    queryKey: [server.key, 'runs', run_id],
    queryFn: () => server.client.runs.get(thread_id, run_id),
    refetchInterval: ({ state: { data } }) => (data && isOver(data.status) ? false : 2_000),
  })
}

/** With its texts. */
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
    queryFn: () => askAgent<Delivery[]>(server, 'GET', `/webhooks/deliveries?run_id=${run_id}`),
    refetchInterval: 5_000,
  })
}

export function isOver(status: string): boolean {
  return status !== 'pending' && status !== 'running'
}
