/** `GET /threads/{thread_id}/stream`: a thread over all its runs. */
import { expect, test } from 'vitest'
import { clientOf, startAgentServer } from '../../support/agent/agent-server.ts'
import type { StreamPart } from '../../support/agent/collect.ts'
import { readFrames } from '../../support/agent/transcript.ts'
import { forAllTests } from '../../support/running.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = forAllTests(startAgentServer)

type Mode = 'run_modes' | 'lifecycle' | 'state_update'

/** Reads a thread's stream; `next` waits for the next events. */
function follow(thread_id: string, options: { streamMode?: Mode[]; lastEventId?: string } = {}) {
  const leaving = new AbortController()
  const client = clientOf(server.url)
  const parts = client.threads.joinStream(thread_id, {
    ...options,
    streamMode: options.streamMode as never,
    signal: leaving.signal,
  })
  const iterator = parts[Symbol.asyncIterator]()
  return {
    async next(count: number): Promise<StreamPart[]> {
      const seen: StreamPart[] = []
      while (seen.length < count) {
        const { done, value } = await iterator.next()
        if (done) break
        seen.push(value as StreamPart)
      }
      return seen
    },
    leave: () => leaving.abort(),
  }
}

const names = (parts: StreamPart[]) => parts.map((part) => part.event)
const ids = (parts: StreamPart[]) => parts.map((part) => Number(part.id))

async function threadWithRuns(count: number) {
  const { thread_id } = await server.client.threads.create()
  const run_ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const input = { label: `r${i}`, count: 1, ms: 1 }
    const run = await server.client.runs.create(thread_id, 'slow', { input, streamMode: 'custom' })
    await server.client.runs.join(thread_id, run.run_id)
    run_ids.push(run.run_id)
  }
  return { thread_id, run_ids }
}

test('shows what all runs show, from the beginning, numbered over the thread', async () => {
  const { thread_id, run_ids } = await threadWithRuns(2)
  const stream = follow(thread_id, { lastEventId: '-' })
  const parts = await stream.next(6)
  stream.leave()
  expect(names(parts)).toEqual(['metadata', 'custom', 'metadata', 'metadata', 'custom', 'metadata'])
  expect(ids(parts)).toEqual([1, 2, 3, 4, 5, 6])
  expect(parts[0]?.data).toEqual({ run_id: run_ids[0], attempt: 1 })
  expect(parts[2]?.data).toEqual({ run_id: run_ids[0], status: 'run_done' })
  expect(parts[4]?.data).toEqual({ label: 'r1', step: 1 })
})

test('goes on after the last event that a client has, over the end of a run', async () => {
  const { thread_id } = await threadWithRuns(2)
  const whole = follow(thread_id, { lastEventId: '-1' })
  const parts = await whole.next(6)
  whole.leave()
  for (const [i, part] of parts.slice(0, -1).entries()) {
    const stream = follow(thread_id, { lastEventId: part.id ?? '' })
    expect(await stream.next(5 - i)).toEqual(parts.slice(i + 1))
    stream.leave()
  }
})

test('stays open between runs, and without a last event shows what comes from now on', async () => {
  const { thread_id } = await threadWithRuns(1)
  const stream = follow(thread_id)
  const first = stream.next(3)
  await expect.poll(() => server.client.threads.get(thread_id)).toMatchObject({ status: 'idle' })
  const seen: StreamPart[] = []
  // The stream begins when its request has arrived; runs are added until it shows one.
  const arrived = first.then((parts) => seen.push(...parts))
  await expect
    .poll(async () => {
      await server.client.runs.wait(thread_id, 'slow', { input: { count: 1, ms: 1 } })
      return seen.length
    })
    .toBe(3)
  await arrived
  expect(ids(seen)[0]).toBeGreaterThan(3)
  const more = stream.next(1)
  const created = await server.client.runs.create(thread_id, 'slow', { input: { count: 1 } })
  await more
  await server.client.runs.join(thread_id, created.run_id)
  stream.leave()
})

test('lifecycle is the beginning and the end of each run, failed ones too', async () => {
  const { thread_id } = await threadWithRuns(1)
  const failed = await server.client.runs.create(thread_id, 'fail', { input: {} })
  await server.client.runs.join(thread_id, failed.run_id).catch(() => {})
  const stream = follow(thread_id, { streamMode: ['lifecycle'], lastEventId: '-' })
  const parts = await stream.next(4)
  stream.leave()
  expect(parts.map(({ data }) => data)).toEqual([
    { run_id: expect.any(String), attempt: 1 },
    { run_id: expect.any(String), status: 'run_done' },
    { run_id: failed.run_id, attempt: 1 },
    { run_id: failed.run_id, status: 'run_done' },
  ])
  expect(new Set(names(parts))).toEqual(new Set(['metadata']))
})

test('state_update is the state that the API left, and runs do not count it', async () => {
  const { thread_id, run_ids } = await threadWithRuns(1)
  const stream = follow(thread_id, { streamMode: ['state_update'], lastEventId: '-' })
  const update = stream.next(1)
  await server.client.threads.updateState(thread_id, { values: { label: 'new' }, asNode: 'begin' })
  const [part] = await update
  stream.leave()
  expect(part).toMatchObject({
    event: 'state_update',
    data: { thread_id, state: { values: { label: 'new' }, next: ['step'] } },
  })
  expect(part?.data).toMatchObject({ state: await server.client.threads.getState(thread_id) })
  const all = follow(thread_id, {
    streamMode: ['run_modes', 'state_update'],
    lastEventId: '-',
  })
  expect(names(await all.next(4))).toEqual(['metadata', 'custom', 'metadata', 'state_update'])
  all.leave()
  const first = server.client.runs.joinStream(thread_id, run_ids[0] ?? '', { lastEventId: '-1' })
  for await (const { event } of first) expect(event).not.toBe('state_update')
})

test('messages are whole so far, from any event on', async () => {
  const { thread_id } = await server.client.threads.create()
  const input = { messages: [{ role: 'human', content: 'one two three' }] }
  const options = { input, streamMode: 'messages' as const }
  const { run_id } = await server.client.runs.create(thread_id, 'agent', options)
  await server.client.runs.join(thread_id, run_id)
  const whole = follow(thread_id, { lastEventId: '-' })
  const parts = await whole.next(9)
  whole.leave()
  const contents = parts.slice(3, 8).map(({ data }) => (data as { content: string }[])[0]?.content)
  expect(contents.slice(0, 4)).toEqual([
    'echo: ',
    'echo: one ',
    'echo: one two ',
    'echo: one two three',
  ])
  const later = follow(thread_id, { lastEventId: '5' })
  expect(await later.next(4)).toEqual(parts.slice(5))
  later.leave()
})

test('what another process writes is shown too', async () => {
  const dataDir = temporaryFolder()
  const [one, two] = [await startAgentServer({ dataDir }), await startAgentServer({ dataDir })]
  const { thread_id } = await one.client.threads.create()
  await one.client.runs.wait(thread_id, 'slow', { input: { count: 1, ms: 1 } })
  const leaving = new AbortController()
  const stream = two.client.threads.joinStream(thread_id, { signal: leaving.signal })
  const next = stream[Symbol.asyncIterator]().next()
  await expect
    .poll(async () => {
      await one.client.threads.updateState(thread_id, { values: { label: 'x' }, asNode: 'begin' })
      await one.client.runs.wait(thread_id, 'slow', { input: { count: 1, ms: 1 } })
      return Promise.race([next, undefined])
    })
    .toMatchObject({ done: false })
  leaving.abort()
  await Promise.all([one.stop(), two.stop()])
})

test('it ends when the thread is removed', async () => {
  const { thread_id } = await threadWithRuns(1)
  const stream = follow(thread_id, { lastEventId: '-' })
  expect(await stream.next(1)).toHaveLength(1)
  await server.client.threads.delete(thread_id)
  expect((await stream.next(100)).length).toBeLessThanOrEqual(2)
})

test.each(['stream_modes', 'stream_mode'])('%s may be a list, a word or JSON', async (key) => {
  const { thread_id } = await threadWithRuns(1)
  const read = async (query: string) => {
    const leaving = new AbortController()
    const response = await fetch(`${server.url}/threads/${thread_id}/stream?${query}`, {
      headers: { 'last-event-id': '-' },
      signal: leaving.signal,
    })
    expect(response.headers.get('location')).toBe(`/threads/${thread_id}/stream`)
    const first = await readFrames(response, 1)
    leaving.abort()
    return first
  }
  for (const query of [
    `${key}=lifecycle`,
    `${key}=lifecycle&${key}=state_update`,
    `${key}=${encodeURIComponent('["lifecycle"]')}`,
  ]) {
    expect(await read(query)).toContain('"attempt":1')
  }
})
