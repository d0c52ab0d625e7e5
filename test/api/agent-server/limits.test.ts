/** What an operator can bound, and how a caller is told. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type RunningAgentServer,
  type StartOptions,
  startAgentServer,
} from '../../support/agent/agent-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let server: RunningAgentServer
afterEach(() => server.stop())

async function start(options: StartOptions): Promise<void> {
  server = await startAgentServer({ projectName: 'runs', concurrency: 1, ...options })
}

/** To one server: requests are counted by each for itself. */
async function send(method: string, path: string, body?: object, key = 'a-key') {
  const response = await fetch(`${server.members[0].url}${path}`, {
    method,
    headers: { 'x-api-key': key },
    ...(body && { body: JSON.stringify(body) }),
  })
  const retryAfter = Number(response.headers.get('retry-after'))
  return { status: response.status, retryAfter, json: (await response.json()) as never }
}

const refusal = (setting: string) => ({
  status: 429,
  retryAfter: expect.toSatisfy((seconds: number) => seconds >= 1),
  json: { detail: expect.stringContaining(setting) },
})

const RUN = { assistant_id: 'hold', input: {} }

describe('runs that wait', () => {
  test('are bounded on one thread, and go on being taken elsewhere', async () => {
    await start({ limits: { maxPendingRunsPerThread: 2 } })
    const { client } = server
    const { thread_id } = await client.threads.create()
    const later = { ...RUN, after_seconds: 3_600 }
    const create = (body: object) => send('POST', `/threads/${thread_id}/runs`, body)
    for (let i = 0; i < 2; i++) expect(await create(later)).toMatchObject({ status: 200 })
    expect(await create(later)).toEqual(refusal('RUNYARD_MAX_PENDING_RUNS_PER_THREAD'))
    expect(await client.runs.list(thread_id)).toHaveLength(2)
    expect(await send('POST', '/runs', later)).toMatchObject({ status: 200 })
    // It takes the place of those that wait.
    const newest = { ...later, multitask_strategy: 'interrupt' }
    expect(await create(newest)).toMatchObject({ status: 200 })
  })

  test('of other servers on the database count as well, once they were counted again', async () => {
    let now = Date.now()
    const clock = { now: () => now }
    const dataDir = temporaryFolder()
    await start({ dataDir, clock, limits: { maxPendingRuns: 2 } })
    const later = { ...RUN, after_seconds: 3_600 }
    const other = await startAgentServer({ projectName: 'runs', dataDir, clock })
    expect(await send('POST', '/runs', later)).toMatchObject({ status: 200 })
    await other.client.runs.create(null, 'hold', { input: {}, afterSeconds: 3_600 })
    now += 1_000
    expect(await send('POST', '/runs', later)).toEqual(refusal('RUNYARD_MAX_PENDING_RUNS'))
    await other.stop()
  })

  test('are bounded in all, in batches too, until some have ended', async () => {
    await start({ limits: { maxPendingRuns: 3 } })
    const later = { ...RUN, after_seconds: 3_600, on_completion: 'keep' }
    expect(await send('POST', '/runs/batch', [later, later])).toMatchObject({ status: 200 })
    const refused = refusal('RUNYARD_MAX_PENDING_RUNS')
    expect(await send('POST', '/runs/batch', [later, later])).toEqual(refused)
    const { json } = await send('POST', '/runs', later)
    expect(await send('POST', '/runs', later)).toEqual(refused)
    expect(await send('POST', '/runs/wait', later)).toEqual(refused)
    const { thread_id, run_id } = json as { thread_id: string; run_id: string }
    await server.client.runs.cancel(thread_id, run_id, true)
    expect(await send('POST', '/runs', later)).toMatchObject({ status: 200 })
  })
})

describe('a page', () => {
  test('of a history ends where it becomes too large, and says where to go on', async () => {
    await start({ projectName: 'echo', limits: { pageBytes: 15_000 } })
    const { client, url } = server
    const { thread_id } = await client.threads.create({ graphId: 'slow' })
    const values = { label: 'x'.repeat(10_000) }
    for (let i = 0; i < 3; i++) {
      await client.threads.updateState(thread_id, { values, asNode: '__start__' })
    }
    const found: unknown[] = []
    let before: string | undefined
    let pages = 0
    do {
      const query = new URLSearchParams({ limit: '100', ...(before && { before }) })
      const page = await fetch(`${url}/threads/${thread_id}/history?${query}`)
      found.push(...((await page.json()) as unknown[]))
      before = page.headers.get('x-pagination-next') ?? undefined
      pages += 1
    } while (before)
    expect([found.length, pages]).toEqual([3, 3])
    expect(new Set(found.map((state) => JSON.stringify(state))).size).toBe(3)
  })

  test('of threads ends where it becomes too large, and says where to go on', async () => {
    await start({ projectName: 'echo', limits: { pageBytes: 15_000 } })
    const { client, url } = server
    for (let i = 0; i < 2; i++) {
      const { thread_id } = await client.threads.create({ graphId: 'slow' })
      const values = { label: 'x'.repeat(10_000) }
      await client.threads.updateState(thread_id, { values, asNode: '__start__' })
    }
    const search = async (body: object) => {
      const page = await fetch(`${url}/threads/search`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return [((await page.json()) as []).length, page.headers.get('x-pagination-next')]
    }
    expect(await search({})).toEqual([1, '1'])
    expect(await search({ offset: 1 })).toEqual([1, null])
    expect(await search({ select: ['thread_id'] })).toEqual([2, null])
    expect(await search({ text: 'xx' })).toEqual([1, '1'])
    expect(await search({ text: 'xx', offset: 1 })).toEqual([1, null])
    expect(await search({ text: 'xx', select: ['thread_id'] })).toEqual([2, null])
  })
})

describe('metadata', () => {
  const metadata = { text: 'x'.repeat(1_000) }
  const assistant_id = 'hold'
  const schedule = '0 7 29 2 *'
  const tooMuch = {
    status: 422,
    json: {
      detail: [
        {
          loc: ['body', 'metadata'],
          msg: expect.stringContaining('RUNYARD_MAX_METADATA_BYTES'),
          type: 'value_error',
        },
      ],
    },
  }

  test('of everything that has some is bounded, however it is sent', async () => {
    await start({ limits: { metadataBytes: 1_000 } })
    const { client } = server
    const { thread_id } = await client.threads.create()
    const assistant = await client.assistants.create({ graphId: 'hold' })
    const { cron_id } = await client.crons.create('hold', { schedule })
    const asked: [string, string, object][] = [
      ['POST', '/threads', { metadata }],
      ['PATCH', `/threads/${thread_id}`, { metadata }],
      ['PATCH', `/threads/${thread_id}/state`, { metadata }],
      ['POST', `/threads/${thread_id}/runs`, { ...RUN, metadata }],
      ['POST', '/runs', { ...RUN, metadata }],
      ['POST', '/assistants', { graph_id: 'hold', metadata }],
      ['PATCH', `/assistants/${assistant.assistant_id}`, { metadata }],
      ['POST', '/runs/crons', { assistant_id, schedule, metadata }],
      ['PATCH', `/runs/crons/${cron_id}`, { metadata }],
    ]
    for (const [method, path, body] of asked) {
      expect([path, await send(method, path, body)]).toMatchObject([path, tooMuch])
    }
    expect(await send('POST', '/runs/batch', [RUN, { ...RUN, metadata }] as never)).toMatchObject(
      tooMuch,
    )
    const half = { metadata: { a: 'x'.repeat(600) } }
    expect(await send('PATCH', `/threads/${thread_id}`, half)).toMatchObject({ status: 200 })
    const other = { metadata: { b: 'x'.repeat(600) } }
    expect(await send('PATCH', `/threads/${thread_id}`, other)).toMatchObject(tooMuch)
  })

  test('that was stored before with more is read, and may become less', async () => {
    const dataDir = temporaryFolder()
    const database = join(dataDir, 'agent.db')
    await start({ database })
    const { thread_id } = await server.client.threads.create({ metadata })
    await server.stop()
    await start({ database, limits: { metadataBytes: 500 } })
    expect(await server.client.threads.get(thread_id)).toMatchObject({ metadata })
    const patch = (text: string) => send('PATCH', `/threads/${thread_id}`, { metadata: { text } })
    expect(await patch('y'.repeat(1_000))).toMatchObject({ status: 200 })
    expect(await patch('y'.repeat(1_001))).toMatchObject(tooMuch)
    expect(await patch('y'.repeat(900))).toMatchObject({ status: 200 })
  })
})

describe('answers', () => {
  /** Asks, and reads no more than the beginning of what comes. */
  const askAndWait = async (path: string, body: object) => {
    const { hostname, port } = new URL(server.members[0].url)
    const text = JSON.stringify(body)
    const socket = connect(Number(port), hostname).pause()
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${text.length}\r\n\r\n`
    socket.write(head + text)
    await once(socket, 'readable')
    return socket
  }

  test('that nobody reads are bounded in all, and small ones always pass', async () => {
    const limits = { metadataBytes: 20_000_000, answerBytes: 25_000_000 }
    await start({ limits })
    const { client } = server
    const metadata = { text: 'x'.repeat(10_000_000) }
    const { thread_id } = await client.threads.create({ metadata })
    const search = () => send('POST', '/threads/search', {})
    const readers = [
      await askAndWait('/threads/search', {}),
      await askAndWait('/threads/search', {}),
    ]
    const refused = {
      status: 503,
      retryAfter: 2,
      json: { detail: expect.stringContaining('RUNYARD_MAX_ANSWER_BYTES') },
    }
    expect(await search()).toEqual(refused)
    expect(await send('GET', `/threads/${thread_id}`)).toEqual(refused)
    expect(await send('GET', '/ok')).toMatchObject({ status: 200 })
    expect(await send('POST', '/threads/count', {})).toMatchObject({ status: 200, json: 1 })
    for (const one of readers) one.destroy()
    await expect.poll(search).toMatchObject({ status: 200 })
  })
})

describe('requests', () => {
  test('of one caller are bounded by the second, whatever they say of themselves', async () => {
    await start({ limits: { maxRequestsPerSecond: 3 } })
    const ask = (key: string) => send('GET', '/info', undefined, key)
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(`key-${i}`)))
    const refused = answers.filter(({ status }) => status === 429)
    // Each time that a second begins anew in between, three more are let through.
    expect(refused.length).toBeGreaterThanOrEqual(10)
    for (const one of refused) expect(one).toEqual(refusal('RUNYARD_MAX_REQUESTS_PER_SECOND'))
    const healthy = await Promise.all(Array.from({ length: 8 }, () => send('GET', '/ok')))
    expect(new Set(healthy.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('that are too large are refused, announced or not', async () => {
    await start({ maxBodyBytes: 1_000 })
    const large = { metadata: { text: 'x'.repeat(1_000) } }
    const refused = {
      status: 413,
      json: { detail: expect.stringContaining('RUNYARD_MAX_BODY_BYTES') },
    }
    expect(await send('POST', '/threads', large)).toMatchObject(refused)
    const stream = new Blob([JSON.stringify(large)]).stream()
    const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
    const chunked = await fetch(`${server.url}/threads`, init)
    expect({ status: chunked.status, json: await chunked.json() }).toEqual(refused)
    expect(await send('POST', '/threads', {})).toMatchObject({ status: 200 })
  })
})
