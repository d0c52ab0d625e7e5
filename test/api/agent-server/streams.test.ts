import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect, type StreamPart } from '../../support/agent/collect.ts'
import { readAll } from '../../support/agent/transcript.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const say = (content: string) => ({ messages: [{ role: 'human', content }] })

const names = (parts: StreamPart[]) => parts.map((part) => part.event)

test('updates without a thread: the metadata, then what each node changed', async () => {
  const options = { input: say('hi'), streamMode: 'updates' } as const
  const parts = await collect(server.client.runs.stream(null, 'agent', options))
  expect(names(parts)).toEqual(['metadata', 'updates'])
  expect(parts[0]?.data).toMatchObject({ attempt: 1, run_id: expect.any(String) })
  expect(parts[1]?.data).toMatchObject({ answer: { messages: [{ content: 'echo: hi' }] } })
})

test.each(['agent', 'fail'])('a run of which nothing is shown ends (%s)', async (graph) => {
  const options = { input: say('hi'), streamMode: 'custom' } as const
  const parts = await collect(server.client.runs.stream(null, graph, options))
  expect(names(parts)).toEqual(['metadata', ...(graph === 'fail' ? ['error'] : [])])
})

test('values are the default', async () => {
  const parts = await collect(server.client.runs.stream(null, 'agent', { input: say('hi') }))
  expect(new Set(names(parts.slice(1)))).toEqual(new Set(['values']))
})

test('events are numbered, and a stream goes on after the last one that a client has', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const run = await client.runs.create(thread_id, 'slow', {
    input: { count: 2, ms: 1 },
    streamMode: ['updates', 'custom'],
  })
  const all = await collect(client.runs.joinStream(thread_id, run.run_id))
  expect(all.map((part) => part.id)).toEqual(all.map((_, index) => String(index)))
  const rest = client.runs.joinStream(thread_id, run.run_id, { lastEventId: '2' })
  expect(await collect(rest)).toEqual(all.slice(3))
  const wish = { streamMode: 'custom' as const, lastEventId: '-1' }
  const custom = client.runs.joinStream(thread_id, run.run_id, wish)
  expect(names(await collect(custom))).toEqual(['metadata', 'custom', 'custom'])
})

test('a stream tells where it goes on, and its bytes are as the SDKs expect them', async () => {
  const response = await fetch(`${server.url}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'fail', input: {} }),
  })
  const path = response.headers.get('content-location')
  expect(path).toMatch(/^\/threads\/[0-9a-f-]{36}\/runs\/[0-9a-f-]{36}$/)
  expect(response.headers.get('location')).toBe(`${path}/stream`)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const run_id = path?.split('/').at(-1)
  const text = await readAll(response)
  expect(text).toMatch(
    new RegExp(`^event: metadata\ndata: {"run_id":"${run_id}","attempt":1}\nid: 0\n\n`),
  )
  const headers = { 'last-event-id': '-1' }
  const again = await fetch(`${server.url}${path}/stream`, { headers })
  expect(await readAll(again)).toBe(text)
  const alone = await fetch(`${server.url}/runs/${run_id}/stream`, { headers })
  expect(await readAll(alone)).toBe(text)
})

test('whoever makes a run has its first event before the run is executed', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const blocking = await client.runs.create(thread_id, 'slow', { input: { count: 1, ms: 60_000 } })
  const waiting = client.runs.stream(thread_id, 'agent', { input: say('hi') })
  const { value } = await waiting[Symbol.asyncIterator]().next()
  const [run] = await client.runs.list(thread_id, { status: 'pending' })
  expect(value).toEqual({ id: '0', event: 'metadata', data: { run_id: run?.run_id, attempt: 1 } })
  await client.runs.cancel(thread_id, run?.run_id ?? '')
  await client.runs.cancel(thread_id, blocking.run_id, true)
})

test('without a last event a run is shown from its beginning, one that ended long ago not', async () => {
  let stoppedAt: number | undefined
  const clock = { now: () => stoppedAt ?? Date.now() }
  const { client, stop } = await startAgentServer({ clock })
  const { thread_id } = await client.threads.create()
  const options = { input: { count: 3, ms: 20 }, streamMode: 'custom' as const }
  const { run_id } = await client.runs.create(thread_id, 'slow', options)
  const parts = await collect(client.runs.joinStream(thread_id, run_id))
  expect(names(parts)).toEqual(['metadata', 'custom', 'custom', 'custom'])
  const { updated_at } = await client.runs.get(thread_id, run_id)
  stoppedAt = Date.parse(updated_at) + 29_000
  expect(await collect(client.runs.joinStream(thread_id, run_id))).toEqual(parts)
  stoppedAt += 2_000
  expect(await collect(client.runs.joinStream(thread_id, run_id))).toEqual([])
  const again = client.runs.joinStream(thread_id, run_id, { lastEventId: '-1' })
  expect(await collect(again)).toEqual(parts)
  await stop()
})

test('a stream can be narrowed to namespaces, by node or by task', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const response = await fetch(`${server.url}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({
      assistant_id: 'parent',
      input: { text: 'a' },
      stream_mode: ['values', 'updates'],
      stream_subgraphs: true,
    }),
  })
  const all = await response.text()
  const [task] = /child:[0-9a-f-]+/.exec(all) ?? []
  const read = async (query: string) => {
    const headers = { 'last-event-id': '-1' }
    const path = `${response.headers.get('location')}?${query}`
    const text = await (await fetch(`${server.url}${path}`, { headers })).text()
    return [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
  }
  const updates = ['metadata', `updates|${task}`]
  expect(await read('namespace=child&stream_mode=updates')).toEqual(updates)
  expect(await read(`namespace=${task}&namespace=other&stream_mode=updates`)).toEqual(updates)
  expect(await read('namespace=other')).toEqual(['metadata'])
})

test('a new stream is narrowed to namespaces too, the root by an empty one', async () => {
  const client = server.client
  const { thread_id } = await client.threads.create()
  const stream = (streamNamespaces: string[]) =>
    collect(
      client.runs.stream(thread_id, 'parent', {
        input: { text: 'a' },
        streamMode: ['updates'],
        streamSubgraphs: true,
        streamNamespaces,
      }),
    )
  expect(names(await stream(['child']))).toEqual(['metadata', expect.stringContaining('|child:')])
  const ofRoot = (parts: StreamPart[]) => names(parts).filter((name) => name === 'updates')
  expect(ofRoot(await stream(['']))).toHaveLength(3)
  expect(ofRoot(await stream(['', 'other']))).toHaveLength(3)
  expect(names(await stream(['other']))).toEqual(['metadata'])
})

test('a stream begins after the checkpoint that its client shows', async () => {
  const client = server.client
  const { thread_id } = await client.threads.create()
  const input = { label: 'a', count: 3, ms: 100 }
  const { run_id } = await client.runs.create(thread_id, 'slow', { input, streamMode: 'updates' })
  await client.runs.join(thread_id, run_id)
  const join = (checkpointId?: string, lastEventId = '-1') =>
    collect(
      client.runs.joinStream(thread_id, run_id, {
        lastEventId,
        ...(checkpointId && { checkpointId }),
      }),
    )
  const all = await join()
  const [, second, first] = await client.threads.getHistory(thread_id)
  const idOf = (state: typeof first) => String(state?.checkpoint.checkpoint_id)
  // What was on its way to the log when the checkpoint was made may come again: here one event at most.
  for (const [state, left] of [
    [second, 1],
    [first, 2],
  ] as const) {
    const shown = await join(idOf(state))
    expect(shown.slice(-left)).toEqual(all.slice(-left))
    expect(shown.length - left).toBeLessThanOrEqual(1)
  }
  expect(await join('1ef00000-0000-6000-8000-000000000000')).toEqual(all)
  const lastEventId = String(all.at(-3)?.id)
  expect(await join(idOf(second), lastEventId)).toEqual(all.slice(-2))
})

test('leaving a stream that was asked to cancel ends the run, leaving another does not', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', {
    input: { count: 1, ms: 60_000 },
  })
  for (const [query, status] of [
    ['', 'running'],
    ['?cancel_on_disconnect=1', 'interrupted'],
  ]) {
    const leaving = new AbortController()
    const path = `${server.url}/threads/${thread_id}/runs/${run_id}/stream${query}`
    const response = await fetch(path, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await expect.poll(async () => (await client.runs.get(thread_id, run_id)).status).toBe(status)
  }
})

test('the error of a graph comes through beside callback events too', async () => {
  const options = { input: { reason: 'no luck' }, streamMode: ['events', 'values'] as never }
  const parts = await collect(server.client.runs.stream(null, 'fail', options))
  expect(parts.at(-1)).toMatchObject({ event: 'error', data: { error: 'RangeError' } })
  expect(names(parts)).toContain('events')
})

test('a run that streams its callback events can be cancelled', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const options = { input: { count: 1, ms: 60_000 }, streamMode: 'events' as const }
  const { run_id } = await client.runs.create(thread_id, 'slow', options)
  const stream = client.runs.joinStream(thread_id, run_id)
  const read = collect(stream)
  await expect.poll(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
  await client.runs.cancel(thread_id, run_id, true)
  expect(names(await read).slice(0, 2)).toEqual(['metadata', 'events'])
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status: 'interrupted' })
})

test.each([
  ['an unknown mode', { stream_mode: 'everything' }],
  ['an unknown mode among others', { stream_mode: ['values', 'everything'] }],
])('%s is refused', async (_, wish) => {
  const response = await fetch(`${server.url}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'agent', input: say('hi'), ...wish }),
  })
  expect(response.status).toBe(422)
  const { thread_id } = await server.client.threads.create()
  const run = await server.client.runs.create(thread_id, 'agent', { input: say('hi') })
  const path = `/threads/${thread_id}/runs/${run.run_id}/stream?stream_mode=everything`
  expect((await fetch(`${server.url}${path}`)).status).toBe(422)
})

test('feedback_keys are taken and answered by no event: their addresses are LangSmith’s', async () => {
  const options = { input: say('hi'), feedbackKeys: ['thumbs'], streamMode: 'updates' as const }
  const parts = await collect(server.client.runs.stream(null, 'agent', options))
  expect(names(parts)).toEqual(['metadata', 'updates'])
})
