/** Crons through their API, with each line of the official SDK. */
import { Client } from '@langchain/langgraph-sdk'
import { Client as Client112 } from 'sdk-1-12'
import { Client as OldClient } from 'sdk-2'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const LINES: Record<string, typeof Client> = {
  '1.12.4': Client112 as unknown as typeof Client,
  '1.15.0': Client,
  '2.0.0': OldClient as unknown as typeof Client,
}

const clock = { now: () => Date.parse('2026-11-20T12:00:30.000Z') }

const server = forAllTests(() => startAgentServer({ clock }))

const ask = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

describe.each(Object.entries(LINES))('with the SDK %s', (version, Sdk) => {
  let client: Client
  const metadata = { sdk: version }
  beforeAll(() => {
    client = new Sdk({ apiUrl: server.url, apiKey: null, callerOptions: { maxRetries: 0 } })
  })

  it('a cron is made, read, changed and removed', async () => {
    const made = await client.crons.create('slow', {
      schedule: '0 9 * * *',
      input: { count: 1 },
      metadata,
      config: { configurable: { model: 'm' } },
    })
    expect(made).toMatchObject({
      thread_id: null,
      schedule: '0 9 * * *',
      next_run_date: '2026-11-21T09:00:00.000Z',
      end_time: null,
      user_id: null,
      payload: { input: { count: 1 }, config: { configurable: { model: 'm' } } },
      metadata,
      enabled: true,
      on_run_completed: 'delete',
    })
    const { cron_id } = made as unknown as { cron_id: string }
    expect(await (await ask('GET', `/runs/crons/${cron_id}`)).json()).toEqual(made)
    const patch = {
      timezone: 'Europe/Berlin',
      end_time: '2026-12-01T00:00:00+01:00',
      input: { count: 2 },
      metadata: { more: 1 },
      on_run_completed: 'keep',
    }
    const changed = await (await ask('PATCH', `/runs/crons/${cron_id}`, patch)).json()
    expect(changed).toMatchObject({
      schedule: '0 9 * * *',
      timezone: 'Europe/Berlin',
      next_run_date: '2026-11-21T08:00:00.000Z',
      end_time: '2026-11-30T23:00:00.000Z',
      payload: { input: { count: 2 }, config: { configurable: { model: 'm' } } },
      metadata: { ...metadata, more: 1 },
      on_run_completed: 'keep',
    })
    await client.crons.delete(cron_id)
    await expect(client.crons.delete(cron_id)).rejects.toThrow('HTTP 404')
    expect((await ask('GET', `/runs/crons/${cron_id}`)).status).toBe(404)
  })

  it('crons are found, sorted, selected and counted', async () => {
    const { thread_id } = await client.threads.create()
    const about = { metadata: { set: version } }
    await client.crons.createForThread(thread_id, 'slow', { schedule: '0 1 * * *', ...about })
    await client.crons.create('slow', { schedule: '0 2 * * *', ...about })
    await client.crons.create('ask', { schedule: '0 3 * * *', ...about })
    const search = (query: object) => ask('POST', '/runs/crons/search', { ...about, ...query })
    const schedules = async (query: object) => {
      const crons = (await (await search(query)).json()) as { schedule: string }[]
      return crons.map(({ schedule }) => schedule)
    }
    const asc = { sort_by: 'next_run_date', sort_order: 'asc' }
    expect(await schedules(asc)).toEqual(['0 1 * * *', '0 2 * * *', '0 3 * * *'])
    expect(await schedules({ ...asc, offset: 1, limit: 1 })).toEqual(['0 2 * * *'])
    expect(await schedules({ assistant_id: 'ask' })).toEqual(['0 3 * * *'])
    expect(await schedules({ assistant_id: 'nobody\u0000' })).toEqual([])
    expect(await schedules({ enabled: false })).toEqual([])
    expect((await search({ limit: 1 })).headers.get('x-pagination-total')).toBe('3')
    expect(await (await search({ ...asc, limit: 1, select: ['schedule', 'now'] })).json()).toEqual([
      { schedule: '0 1 * * *' },
    ])
    const count = await ask('POST', '/runs/crons/count', about)
    expect(await count.json()).toBe(3)
    expect(await client.crons.search({ threadId: thread_id })).toHaveLength(1)
  })
})

test('the newer SDKs change and count crons themselves', async () => {
  const { crons } = server.client
  const { cron_id } = (await crons.create('slow', { schedule: '0 9 * * *' })) as unknown as {
    cron_id: string
  }
  const changed = await crons.update(cron_id, { schedule: '5 9 * * *', enabled: false })
  expect(changed).toMatchObject({ schedule: '5 9 * * *', enabled: false, next_run_date: null })
  const again = await crons.update(cron_id, { enabled: true })
  expect(again).toMatchObject({ next_run_date: '2026-11-21T09:05:00.000Z' })
  expect(await crons.count({ metadata: { nobody: true } })).toBe(0)
})

test('an end and a time zone are taken away by null, and stay when they are absent', async () => {
  const made = await ask('POST', '/runs/crons', {
    assistant_id: 'slow',
    schedule: '0 9 * * *',
    timezone: 'Asia/Tokyo',
    end_time: '2026-11-20T12:30:00',
  })
  const cron = (await made.json()) as { cron_id: string }
  expect(cron).toMatchObject({ end_time: '2026-11-20T12:30:00.000Z', next_run_date: null })
  const patch = async (body: object) =>
    (await ask('PATCH', `/runs/crons/${cron.cron_id}`, body)).json()
  expect(await patch({ metadata: { a: 1 } })).toMatchObject({ timezone: 'Asia/Tokyo' })
  expect(await patch({ end_time: null })).toMatchObject({
    end_time: null,
    next_run_date: '2026-11-21T00:00:00.000Z',
  })
  expect(await patch({ timezone: null })).toMatchObject({
    timezone: null,
    next_run_date: '2026-11-21T09:00:00.000Z',
  })
})

const cron = { assistant_id: 'slow', schedule: '* * * * *' }

test.each([
  ['a schedule', { ...cron, schedule: 'now and then' }, 422, /no schedule/],
  ['a time zone', { ...cron, timezone: 'Nowhere' }, 422, /no time zone/],
  ['an end', { ...cron, end_time: 'later' }, 422, /ISO 8601/],
  ['an assistant', { ...cron, assistant_id: 'nobody' }, 404, /No assistant found/],
  ['a stream mode', { ...cron, stream_mode: ['none'] }, 422, /stream_mode/],
  ['a webhook', { ...cron, webhook: '' }, 422, /webhook/],
  ['an end of its runs', { ...cron, on_run_completed: 'frame' }, 422, /on_run_completed/],
])('%s that is none is refused', async (_what, body, status, message) => {
  const response = await ask('POST', '/runs/crons', body)
  expect(response.status).toBe(status)
  expect(JSON.stringify(await response.json())).toMatch(message)
})

test('a thread that is none is refused, and a change that is none changes nothing', async () => {
  const nowhere = '00000000-0000-4000-8000-000000000000'
  expect((await ask('POST', `/threads/${nowhere}/runs/crons`, cron)).status).toBe(404)
  expect((await ask('PATCH', `/runs/crons/${nowhere}`, {})).status).toBe(404)
  const { cron_id } = (await (await ask('POST', '/runs/crons', cron)).json()) as {
    cron_id: string
  }
  const patch = { schedule: '0 0 31 2 *', input: { changed: true } }
  expect((await ask('PATCH', `/runs/crons/${cron_id}`, patch)).status).toBe(422)
  const stored = await (await ask('GET', `/runs/crons/${cron_id}`)).json()
  expect(stored).toMatchObject({
    schedule: '* * * * *',
    payload: { assistant_id: expect.any(String) },
  })
  expect(stored).not.toHaveProperty('payload.input')
})
