/** Connections to PostgreSQL that are lost while a run's writes are committed: the run does not notice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/telemetry/log.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { send } from '../../support/agent/protocol-client.ts'
import { eventually } from '../../support/eventually.ts'
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts'

let proxy: PostgresProxy
let server: RunningAgentServer
const lines: { msg: string }[] = []

beforeAll(async () => {
  proxy = await startPostgresProxy()
  const write = (line: string) => void lines.push(JSON.parse(line))
  const log = createLog('warn', { write })
  server = await startAgentServer({ database: proxy.url, log, leaseMs: 8_000 })
})
afterAll(async () => {
  await server?.stop()
  await proxy?.stop()
})

test.each(['before', 'after'] as const)(
  'a run goes on to its end when connections are lost %s its commits',
  async (moment) => {
    const { client, store } = server
    const { thread_id } = await client.threads.create()
    // In what it tells of a step, in what it keeps of one, and in its end.
    const texts = ['"step":2', `${moment}:3`, '__end__']
    const cuts = texts.map((text) => proxy.cutAt({ text, end: 'commit' }, moment))
    const stream = client.runs.stream(thread_id, 'slow', {
      input: { label: moment, count: 4, ms: 0 },
      streamMode: ['custom', 'values'],
      // Else what it keeps of the step goes with its end.
      durability: 'sync',
    })
    const parts = await collect(stream)
    await Promise.all(cuts)
    expect(parts.map(({ id }) => id)).toEqual(parts.map((_, index) => `${index}`))
    const steps = parts.flatMap(({ event, data }) => (event === 'custom' ? [data] : []))
    expect(steps).toEqual([1, 2, 3, 4].map((step) => ({ label: moment, step })))
    const [run] = await client.runs.list(thread_id)
    expect(run?.status).toBe('success')
    expect((await store.runs.get(run?.run_id ?? ''))?.attempt).toBe(1)
    expect(await client.threads.getHistory(thread_id, { limit: 20 })).toHaveLength(7)
  },
)

test.each(['before', 'after'] as const)(
  'a run is added once when the connection is lost %s its commit',
  async (moment) => {
    const { client, store } = server
    const { thread_id: known } = await client.threads.create()
    for (const thread_id of [null, known]) {
      const label = `added ${moment} ${thread_id === null ? 'with its thread' : 'to a thread'}`
      const cut = proxy.cutAt({ text: label, end: 'commit' }, moment)
      const run = await client.runs.create(thread_id, 'slow', { input: { label, count: 1, ms: 0 } })
      await cut
      const added = await store.runs.search({ thread_id: run.thread_id }, { limit: 10 })
      expect(added.map(({ run_id }) => run_id)).toEqual([run.run_id])
      await eventually(async () => (await store.runs.get(run.run_id))?.status).toBe('success')
    }
  },
)

test('a run goes on in another attempt when the database was away for long', async () => {
  const { client, store } = server
  const { thread_id } = await client.threads.create()
  const cut = proxy.cutAt({ text: '"step":1', end: 'commit' }, 'after')
  const input = { label: 'away', count: 4, ms: 20 }
  const { run_id } = await client.runs.create(thread_id, 'slow', { input, durability: 'sync' })
  await cut
  proxy.down()
  const isOver = /lost the database during the run|the run failed/
  await eventually(() => lines.some(({ msg }) => isOver.test(msg))).toBe(true)
  proxy.up()
  await eventually(async () => (await client.runs.get(thread_id, run_id)).status).toBe('success')
  expect((await store.runs.get(run_id))?.attempt).toBe(2)
  const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual([1, 2, 3, 4].map((step) => `away:${step}`))
})

/** After so many a transaction that is cut off is given up. */
const MAX_TRIES = 30

test.each(['legacy', 'v2'] as const)(
  'a step of which the log could not tell is not kept (%s)',
  async (protocol) => {
    const { client, store } = server
    const { thread_id } = await client.threads.create()
    const place = { text: `"${protocol}","step":2`, end: 'commit' } as const
    const cuts = Array.from({ length: MAX_TRIES }, () => proxy.cutAt(place, 'before'))
    const input = { label: protocol, count: 4, ms: 20 }
    if (protocol === 'legacy')
      await client.runs.create(thread_id, 'slow', { input, streamMode: 'custom' })
    else await send(server.url, thread_id, 'run.start', { assistant_id: 'slow', input })
    await Promise.all(cuts)
    const run = async () => (await client.runs.list(thread_id))[0]
    await eventually(async () => (await run())?.status).toBe('success')
    const { run_id = '' } = (await run()) ?? {}
    expect((await store.runs.get(run_id))?.attempt).toBe(2)
    const events = await store.events.readRun({ thread_id, run_id }, 0, 100)
    const told = events.flatMap(({ data }) => /"label":"\w+","step":(\d)/.exec(data)?.[1] ?? [])
    expect([...new Set(told)]).toEqual(['1', '2', '3', '4'])
  },
)
