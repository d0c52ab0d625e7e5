import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentDatabase } from '../../support/agent/agent-database.ts'
import { type AgentServerProcess, spawnAgentServer } from '../../support/agent/agent-server.ts'
import type { StreamPart } from '../../support/agent/collect.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { pause } from '../../support/processes/pause.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Long enough to be renewed in time on a machine that has much to do. */
const leaseMs = 5_000

let dataDir: string
let database: string
let server: AgentServerProcess
let asleep: AgentServerProcess | undefined

beforeEach(async () => {
  dataDir = temporaryFolder()
  database = await agentDatabase(dataDir)
  // On a port to come back to.
  server = await spawnAgentServer(database, { port: await freePort() })
})
afterEach(async () => {
  await asleep?.kill()
  asleep = undefined
  await server.kill()
})

test('runs that a killed server had accepted finish after its restart, each once, in order', async () => {
  const gate = await closedGate()
  const { thread_id } = await server.client.threads.create()
  const runs = []
  for (const label of ['a', 'b', 'c']) {
    const input = { label, count: 8, ms: 1, gate: gate.path }
    runs.push(await server.client.runs.create(thread_id, 'slow', { input }))
  }
  await eventually(async () => stepsOf(await server.client.threads.getState(thread_id))).toEqual([
    'a:1',
  ])
  const path = `/threads/${thread_id}/runs/${runs[0]?.run_id}/timeline`
  const timeline = async () => (await (await fetch(server.url + path)).json()) as Timeline
  const stepsTold = async () =>
    (await timeline()).spans.filter(({ name }) => name === 'step').length
  await eventually(stepsTold).toBeGreaterThan(0)
  await server.kill()
  gate.open()

  server = await spawnAgentServer(database)
  await server.client.runs.join(thread_id, runs.at(-1)?.run_id ?? '')
  const steps = stepsOf(await server.client.threads.getState(thread_id))
  const wanted = ['a', 'b', 'c'].flatMap((label) =>
    Array.from({ length: 8 }, (_, index) => `${label}:${index + 1}`),
  )
  expect(steps).toEqual(wanted)
  for (const { run_id } of runs) {
    expect((await server.client.runs.get(thread_id, run_id)).status).toBe('success')
  }
  const { attempts, spans } = await timeline()
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'success'])
  expect(new Set(attempts.map(({ server_id }) => server_id)).size).toBe(2)
  // What was done in both is told in both.
  const ofStep = spans.filter(({ name }) => name === 'step')
  expect(new Set(ofStep.map(({ token }) => token))).toEqual(new Set([1, 2]))
})

test('a client that streams sees all of its run, once, across the restart of the server', async () => {
  const { client, url } = server
  const { thread_id } = await client.threads.create()
  const stream = client.runs.stream(thread_id, 'slow', {
    input: { label: 'a', count: 6, ms: 40 },
    streamMode: 'custom',
  })
  const seen: StreamPart[] = []
  for await (const part of stream) {
    seen.push(part as StreamPart)
    if (seen.length !== 3) continue
    await server.kill()
    server = await spawnAgentServer(database, { port: Number(new URL(url).port) })
  }
  expect(seen.map((part) => part.id)).toEqual(seen.map((_, index) => String(index)))
  const steps = seen.flatMap((part) => (part.data as { step?: number }).step ?? [])
  expect(new Set(steps)).toEqual(new Set([1, 2, 3, 4, 5, 6]))
})

test('a server that wakes after its run was handed on writes nothing more', async () => {
  await server.kill()
  asleep = await spawnAgentServer(database, { leaseMs })
  server = await spawnAgentServer(database, { leaseMs })
  // So it is the first that takes the run.
  await pause(server.signal, join(dataDir, 'agent.db'))
  const { client } = asleep
  const gate = await closedGate()
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', {
    input: { label: 'a', count: 20, ms: 20, gate: gate.path },
  })
  await eventually(async () => stepsOf(await client.threads.getState(thread_id))).toEqual(['a:1'])
  await pause(asleep.signal, join(dataDir, 'agent.db'))
  server.signal('SIGCONT')
  const attempts: unknown[] = []
  const followed = (async () => {
    const whole = { lastEventId: '-1' }
    for await (const part of server.client.runs.joinStream(thread_id, run_id, whole)) {
      const { event, data } = part
      if (event === 'metadata') attempts.push((data as { attempt?: number }).attempt)
    }
  })()
  // Paused in a transaction it keeps its rows until PostgreSQL ends that, after five seconds.
  await eventually(() => attempts.slice(0, 2)).toEqual([1, 2])
  // Both could go on.
  gate.open()
  asleep.signal('SIGCONT')
  await followed
  const steps = stepsOf(await server.client.threads.getState(thread_id))
  expect(steps).toEqual(Array.from({ length: 20 }, (_, index) => `a:${index + 1}`))
  expect((await asleep.client.runs.get(thread_id, run_id)).status).toBe('success')
})

interface Timeline {
  attempts: { outcome: string; server_id: string }[]
  spans: { token: number; name: string }[]
}

function stepsOf(state: { values: unknown }): string[] {
  return (state.values as { steps?: string[] }).steps ?? []
}
