/** What becomes of runs whose graph host does not keep to its port. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import type { GraphRun } from '../../../src/core/agent/host/run.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent-server.ts'
import { collect } from '../../support/collect.ts'
import { createScriptedHost } from '../../support/scripted-graph-host.ts'

const never = new Promise<never>(() => {})
let server: RunningAgentServer
/** The host was called for what it never answers. */
let called = Promise.withResolvers<void>()

function unanswered(): Promise<never> {
  called.resolve()
  return never
}

type Fault = (run: () => Promise<GraphRun>) => Promise<GraphRun>

/** By the graph that has the fault. */
const FAULTS: Record<string, Fault> = {
  hang: unanswered,
  steps: async () => ({
    emissions: (async function* () {})(),
    end: Promise.resolve({ kind: 'stopped' }),
  }),
  talk: async (run) => ({
    ...(await run()),
    transform: { onEvents: unanswered, finish: unanswered, fail: unanswered },
  }),
}

function createFaultyHost(): GraphHost {
  const host = createScriptedHost()
  return {
    ...host,
    async open(graph_id, ...given) {
      const graph = await host.open(graph_id, ...given)
      const fault = FAULTS[graph_id] as Fault
      return { ...graph, run: (...asked) => fault(() => graph.run(...asked)) }
    },
  }
}

beforeAll(async () => {
  server = await startAgentServer({ projectName: 'played', createHost: createFaultyHost })
})
afterAll(() => server.stop())

it('cuts off a run that the host does not begin', async () => {
  called = Promise.withResolvers()
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'hang', { input: {} })
  await called.promise
  await client.runs.cancel(thread_id, run_id, true)
  const run = await client.runs.get(thread_id, run_id)
  expect(run).toMatchObject({ status: 'interrupted', stop_outcome: 'cut_off' })
})

it('ends a run in error that the host says was stopped, when nobody stopped it', async () => {
  const parts = await collect(server.client.runs.stream(null, 'steps', { input: {} }))
  const message = 'The graph host stopped a run that nobody stopped.'
  expect(parts.at(-1)).toMatchObject({ event: 'error', data: { message } })
})

it('cuts off a run whose stream transformers do not answer, and does not wait for their end', async () => {
  called = Promise.withResolvers()
  const { client, url } = server
  const { thread_id } = await client.threads.create()
  const params = { assistant_id: 'talk', input: { messages: [] } }
  const answer = await fetch(`${url}/threads/${thread_id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 1, method: 'run.start', params }),
  })
  const { result } = (await answer.json()) as { result: { run_id: string } }
  await called.promise
  await client.runs.cancel(thread_id, result.run_id, true)
  const run = await client.runs.get(thread_id, result.run_id)
  expect(run).toMatchObject({ status: 'interrupted', stop_outcome: 'cut_off' })
})
