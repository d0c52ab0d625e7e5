/** What becomes of runs whose graph host does not keep to its port. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import type { GraphRun } from '../../../src/core/agent/host/run.ts'
import { HostLost } from '../../../src/core/errors.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { createScriptedHost } from '../../support/hosts/scripted-graph-host.ts'

const never = new Promise<never>(() => {})
let server: RunningAgentServer
/** The host was called for what it never answers. */
let called = Promise.withResolvers<void>()

function unanswered(): Promise<never> {
  called.resolve()
  return never
}

/** What the states of `remember` cannot be read for, the next times. */
const losses: Error[] = []

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
      const fault = FAULTS[graph_id] ?? ((run) => run())
      return {
        ...graph,
        run: (...asked) => fault(() => graph.run(...asked)),
        getState: (place, options) => {
          const lost = graph_id === 'remember' ? losses.shift() : undefined
          return lost ? Promise.reject(lost) : graph.getState(place, options)
        },
      }
    },
  }
}

beforeAll(async () => {
  const createHost = createFaultyHost
  server = await startAgentServer({ projectName: 'played', createHost, abortLimitMs: 100 })
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
  const message = 'The graph host stopped a run without a request.'
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

it('tries a run again whose state is lost with its host, and keeps the thread as the run left it', async () => {
  losses.push(new HostLost('It was killed.'))
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'remember', { input: {} })
  await client.runs.join(thread_id, run_id)
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status: 'success' })
  expect((await client.threads.getState(thread_id)).values).toMatchObject({
    found: [{ text: 'kept' }, 1, expect.anything()],
  })
  expect(losses).toEqual([])
})
