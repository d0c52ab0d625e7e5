/** What is posted when a run ends, how often, and what it can never reach. */
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Authorize, allowAll } from '../../../src/core/agent/authorization.ts'
import { parseIpRange } from '../../../src/core/network/ip-range.ts'
import type { WebhookSettings } from '../../../src/webhook/webhooks.ts'
import {
  type RunningAgentServer,
  type StartOptions,
  startAgentServer,
} from '../../support/agent/agent-server.ts'
import { held } from '../../support/agent/held.ts'
import {
  answer,
  die,
  hang,
  startReceiver,
  type WebhookReceiver,
} from '../../support/agent/webhook-receiver.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SECRET = Buffer.alloc(32, 7)
const SETTINGS: WebhookSettings = {
  secrets: [SECRET],
  env: { LG_WEBHOOK_TOKEN: 'tell-nobody' },
  allowedAddresses: parseIpRange('loopback') ?? [],
  // None is sent twice because a machine is slow.
  timeoutMs: 600_000,
  backoffMs: () => 1,
}

let server: RunningAgentServer
let receiver: WebhookReceiver

async function start(settings: WebhookSettings = {}, options: StartOptions = {}): Promise<void> {
  server = await startAgentServer({
    projectName: 'webhooks',
    webhooks: { ...SETTINGS, ...settings },
    ...options,
  })
}

beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await server.stop()
  await receiver.close()
})

const steps = (webhook: string) => ({ input: {}, webhook })

async function get(path: string): Promise<never> {
  return (await fetch(`${server.url}${path}`)).json() as never
}

interface Delivery {
  delivery_id: string
  status: string
  attempt: number
  response_status: number | null
  error: string | null
}

/** What became of the run's delivery, once nothing is left to be done. */
async function settled(run_id: string): Promise<Delivery> {
  const read = async () => (await get(`/webhooks/deliveries?run_id=${run_id}`)) as Delivery[]
  await eventually(async () => (await read())[0]?.status ?? 'none').toMatch(/delivered|failed/)
  return (await read())[0] as Delivery
}

describe('the end of a run is posted', () => {
  test('as the run with what it left, signed, with the headers of the project', async () => {
    await start()
    const { client } = server
    const thread = await client.threads.create({ metadata: { who: 'me' } })
    const run = await client.runs.create(thread.thread_id, 'steps', {
      ...steps(`${receiver.url}/done?x=1`),
      metadata: { mine: true },
    })
    await receiver.count(1)
    const [message] = receiver.received
    expect(message?.path).toBe('/done?x=1')
    expect(message?.json).toMatchObject({
      run_id: run.run_id,
      thread_id: thread.thread_id,
      assistant_id: run.assistant_id,
      status: 'success',
      metadata: { mine: true, who: 'me' },
      kwargs: { webhook: `${receiver.url}/done?x=1` },
      values: { trail: ['a', 'b', 'c'] },
      error: null,
    })
    const { run_started_at, run_ended_at, webhook_sent_at, created_at } = message?.json ?? {}
    const times = [created_at, run_started_at, run_ended_at, webhook_sent_at]
    expect(times.toSorted()).toEqual(times)
    expect(message?.json).not.toHaveProperty('origin')
    const headers = message?.headers ?? {}
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer tell-nobody',
      'x-app': 'fixture',
    })
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers
    const signed = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${message?.body}`)
    expect(headers['webhook-signature']).toBe(`v1,${signed.digest('base64')}`)
    expect(await settled(run.run_id)).toMatchObject({ delivery_id: id, attempt: 1 })
  })

  test('with those fields alone that the project allows', async () => {
    await start({}, { configName: 'few-fields.json' })
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    await receiver.count(1)
    const sent = receiver.received[0]?.json
    expect(sent).toEqual({
      ...{ run_id: run.run_id, status: 'success', webhook_sent_at: expect.any(String) },
    })
  })

  test('whichever way it was created', async () => {
    await start()
    const { client } = server
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'steps', steps(`${receiver.url}/wait`))
    for await (const _ of client.runs.stream(thread_id, 'steps', steps(`${receiver.url}/stream`)));
    await client.runs.wait(null, 'steps', steps(`${receiver.url}/alone`))
    for await (const _ of client.runs.stream(null, 'steps', steps(`${receiver.url}/alone-stream`)));
    await client.runs.createBatch([{ assistantId: 'steps', ...steps(`${receiver.url}/batch`) }])
    await receiver.count(5)
    const paths = receiver.received.map(({ path }) => path)
    expect(paths.toSorted()).toEqual(['/alone', '/alone-stream', '/batch', '/stream', '/wait'])
    for (const { json } of receiver.received) expect(json.values.trail).toContain('c')
  })

  test('also where a cron made it', async () => {
    let now = Date.parse('2026-11-20T12:00:30.000Z')
    await start({}, { clock: { now: () => now }, cronPollMs: 5, leaseMs: 1e9 })
    const webhook = `${receiver.url}/cron`
    const cron = await server.client.crons.create('steps', {
      schedule: '* * * * *',
      ...steps(webhook),
    })
    now += 60_000
    await receiver.count(1)
    const { cron_id } = cron as unknown as { cron_id: string }
    expect(receiver.received[0]).toMatchObject({
      path: '/cron',
      json: { status: 'success', metadata: { cron_id }, values: { trail: ['a', 'b', 'c'] } },
    })
  })

  test('also when it failed, was cancelled, waited in vain, or was rolled back', async () => {
    await start()
    const { client } = server
    const { thread_id } = await client.threads.create()
    const broken = { input: { reason: 'on purpose' }, webhook: `${receiver.url}/fail` }
    await client.runs.join(thread_id, (await client.runs.create(thread_id, 'fail', broken)).run_id)
    const running = await client.runs.create(thread_id, 'hold', steps(`${receiver.url}/cancel`))
    await eventually(() => held(running.run_id)).toBeDefined()
    const waiting = await client.runs.create(thread_id, 'hold', steps(`${receiver.url}/waited`))
    await client.runs.cancel(thread_id, waiting.run_id)
    await client.runs.cancel(thread_id, running.run_id, true)
    const undone = await client.runs.create(thread_id, 'hold', steps(`${receiver.url}/undone`))
    await eventually(() => held(undone.run_id)).toBeDefined()
    await client.runs.cancel(thread_id, undone.run_id, true, 'rollback')
    await receiver.count(4)
    const ends = receiver.received.map(({ path, json }) => [path, json.status, json.error?.message])
    expect(ends.toSorted()).toEqual([
      ['/cancel', 'interrupted', undefined],
      ['/fail', 'error', 'on purpose'],
      ['/undone', 'rollback', undefined],
      ['/waited', 'interrupted', undefined],
    ])
    const neverBegan = receiver.received.find(({ path }) => path === '/waited')
    expect(neverBegan?.json).toMatchObject({ run_started_at: null })
  })

  test('to a path of the server itself, which needs no key for it', async () => {
    await start({}, { apiKeys: ['key'] })
    const created = await fetch(`${server.url}/runs`, {
      method: 'POST',
      headers: { 'x-api-key': 'key' },
      body: JSON.stringify({ assistant_id: 'steps', ...steps('/assistants/count') }),
    })
    const { run_id } = (await created.json()) as { run_id: string }
    await eventually(
      async () => (await server.store.webhookDeliveries.search({ run_id }, PAGE))[0]?.status,
    ).toBe('delivered')
    const fromOutside = await fetch(`${server.url}/assistants/count`, { method: 'POST' })
    expect(fromOutside.status).toBe(401)
  })
})

const PAGE = { limit: 1, offset: 0 }

describe('a webhook of the deployment', () => {
  const standing = (path: string, events: 'all' | 'failures' = 'all') => ({
    url: `${receiver.url}${path}`,
    events,
  })

  test('gets the ends that it wants, of every run, once for each URL', async () => {
    await start({}, { standingWebhooks: [standing('/all'), standing('/failures', 'failures')] })
    const { client } = server
    const { thread_id } = await client.threads.create()
    const waiting = { input: {}, afterSeconds: 600 }
    const { run_id } = await client.runs.create(thread_id, 'steps', waiting)
    await client.runs.cancel(thread_id, run_id)
    await client.runs.wait(null, 'steps', steps(`${receiver.url}/all`))
    await client.runs.wait(null, 'fail', { input: { reason: 'on purpose' } }).catch(() => {})
    const gone = await client.threads.create()
    await client.runs.create(gone.thread_id, 'steps', waiting)
    await client.threads.delete(gone.thread_id)
    await receiver.count(5)
    const ends = receiver.received.map(({ path, json }) => `${path} ${json.status}`)
    expect(ends.toSorted()).toEqual([
      '/all error',
      '/all interrupted',
      '/all rollback',
      '/all success',
      '/failures error',
    ])
    const failed = receiver.received.find(({ path }) => path === '/failures')
    expect(failed?.json.error).toMatchObject({ message: 'on purpose' })
    expect(failed?.json.kwargs).not.toHaveProperty('webhook')
    const listed = (await get(`/webhooks/deliveries?run_id=${failed?.json.run_id}`)) as Delivery[]
    expect(listed).toHaveLength(2)
  })

  test('is tried again like that of a run, under the same rules', async () => {
    const inside = { url: 'http://10.0.0.1/', events: 'all' } as const
    await start({ backoffMs: () => 1 }, { standingWebhooks: [inside, standing('/')] })
    receiver.next.push(answer(500))
    const { run_id } = await server.client.runs.create(null, 'steps', { input: {} })
    const read = async () =>
      (await get(`/webhooks/deliveries?run_id=${run_id}`)) as (Delivery & { url: string })[]
    await eventually(async () => (await read()).map(({ status }) => status).toSorted()).toEqual([
      'delivered',
      'failed',
    ])
    const found = Object.fromEntries((await read()).map((one) => [one.url, one]))
    expect(found[`${receiver.url}/`]).toMatchObject({ status: 'delivered', attempt: 2 })
    expect(found[inside.url]).toMatchObject({ attempt: 8, error: expect.stringContaining('10.0') })
  })

  const sendTest = async (url: string, at = server.url) => {
    const init = { method: 'POST', body: JSON.stringify({ url }) }
    const response = await fetch(`${at}/webhooks/test`, init)
    return { status: response.status, body: (await response.json()) as never }
  }

  test('gets one signed test message, which is neither stored nor tried again', async () => {
    await start({}, { standingWebhooks: [standing('/t', 'failures')] })
    const { url } = standing('/t')
    const { status, body } = await sendTest(url)
    const [message] = receiver.received
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = message?.headers ?? {}
    expect([status, body]).toEqual([
      200,
      {
        ...{ url, delivery_id: id, response_status: 204, error: null },
        ...{ sent_at: expect.any(String), duration_ms: expect.any(Number) },
      },
    ])
    expect(message?.json).toMatchObject({ is_test: true, status: 'success', values: {} })
    const signed = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${message?.body}`)
    expect(message?.headers['webhook-signature']).toBe(`v1,${signed.digest('base64')}`)
    receiver.next.push(answer(500))
    const refused = { response_status: 500, error: 'It answered 500.' }
    expect((await sendTest(url)).body).toMatchObject(refused)
    expect(receiver.received).toHaveLength(2)
    expect(await get('/webhooks/deliveries')).toEqual([])
  })

  test('gets one test at a time', async () => {
    await start({}, { standingWebhooks: [standing('/t'), standing('/other')] })
    const { promise: held, resolve: hold } = Promise.withResolvers<ServerResponse>()
    receiver.next.push(hold)
    const { url } = standing('/t')
    const [{ url: member }] = server.members
    const first = sendTest(url, member)
    const response = await held
    const { status, body } = await sendTest(url, member)
    expect([status, body]).toMatchObject([409, { detail: expect.stringContaining('under way') }])
    expect((await sendTest(standing('/other').url)).status).toBe(200)
    response.writeHead(204).end()
    expect((await first).status).toBe(200)
    expect((await sendTest(url)).status).toBe(200)
    expect(receiver.received).toHaveLength(3)
  })

  test('is shown and tested only to developers of a project with users of its own', async () => {
    const options = {
      projectName: 'owned',
      apiKeys: ['key'],
      standingWebhooks: [standing('/s?token=x')],
    }
    await start({}, options)
    const asUser = { authorization: 'Bearer ann' }
    const asStudio = { 'x-auth-scheme': 'langsmith', 'x-api-key': 'key' }
    const ask = async (headers: Record<string, string>, path: string, body?: object) => {
      const init = body && { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`${server.url}${path}`, { ...init, headers })
      return { status: response.status, json: (await response.json()) as never }
    }
    const input = { question: 'why?' }
    const run = { assistant_id: 'agent', input, webhook: `${receiver.url}/own` }
    expect((await ask(asUser, '/runs/wait', run)).status).toBe(200)
    await receiver.count(2)
    const path = '/webhooks/deliveries'
    const own = (await ask(asUser, path)).json as { url: string }[]
    expect(own.map(({ url }) => url)).toEqual([`${receiver.url}/own`])
    const { url } = standing('/s?token=x')
    const all = await server.store.webhookDeliveries.search({}, { limit: 2, offset: 0 })
    const one = `${path}/${all.find((delivery) => delivery.url === url)?.delivery_id}`
    expect((await ask(asUser, one)).status).toBe(404)
    expect((await ask(asUser, `${one}/redeliver`, {})).status).toBe(404)
    expect((await ask(asUser, '/webhooks/test', { url })).status).toBe(403)
    expect((await ask(asStudio, '/webhooks/test', { url })).status).toBe(200)
    expect(receiver.received).toHaveLength(3)
  })

  test('is the only one that gets tests', async () => {
    await start({}, { standingWebhooks: [standing('/t')] })
    const { status, body } = await sendTest(`${receiver.url}/other`)
    expect([status, body]).toMatchObject([404, { detail: expect.stringContaining('no webhook') }])
    expect(receiver.received).toEqual([])
  })
})

describe('a delivery that fails', () => {
  test('is tried again with the same id and body until it is taken', async () => {
    await start()
    receiver.next.push(answer(500), die, answer(302, { location: receiver.url }), answer(404))
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    expect(await settled(run.run_id)).toMatchObject({
      status: 'delivered',
      attempt: 5,
      error: null,
    })
    expect(receiver.received).toHaveLength(5)
    const same = (read: (index: number) => unknown) =>
      new Set(receiver.received.map((_, index) => read(index))).size
    expect(same((index) => receiver.received[index]?.headers['webhook-id'])).toBe(1)
    const bodies = receiver.received.map(({ json }) => ({ ...json, webhook_sent_at: '' }))
    for (const body of bodies) expect(body).toEqual(bodies[0])
  })

  test('is cut off when nobody answers', async () => {
    await start({ timeoutMs: 500 })
    receiver.next.push(hang)
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    await receiver.count(2)
    const { status, attempt } = await settled(run.run_id)
    expect(status).toBe('delivered')
    expect(attempt).toBeGreaterThan(1)
  })

  test('holds up no other while nobody answers', async () => {
    await start({ timeoutMs: 600_000 })
    receiver.next.push(hang)
    await server.client.runs.create(null, 'steps', steps(`${receiver.url}/a`))
    await receiver.count(1)
    const other = await server.client.runs.create(null, 'steps', steps(`${receiver.url}/b`))
    expect(await settled(other.run_id)).toMatchObject({ status: 'delivered', attempt: 1 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/a', '/b'])
  })

  test('is given up in the end, says why, and can be redelivered by hand', async () => {
    await start()
    for (let i = 0; i < 8; i++) receiver.next.push(answer(503))
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    const failed = await settled(run.run_id)
    const error = 'It answered 503.'
    expect(failed).toMatchObject({ status: 'failed', attempt: 8, response_status: 503, error })
    const path = `/webhooks/deliveries/${failed.delivery_id}`
    expect(await get(path)).toMatchObject({ payload: { run_id: run.run_id, status: 'success' } })
    const again = await fetch(`${server.url}${path}/redeliver`, { method: 'POST' })
    expect(await again.json()).toMatchObject({ status: 'pending' })
    await receiver.count(9)
    expect(await settled(run.run_id)).toMatchObject({ status: 'delivered', attempt: 9 })
    expect(receiver.received[8]?.headers['webhook-id']).toBe(failed.delivery_id)
  })

  test('is given up at once when the receiver says that it is gone', async () => {
    await start()
    receiver.next.push(answer(410))
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    expect(await settled(run.run_id)).toMatchObject({ status: 'failed', attempt: 1 })
  })

  test('is sent by the next server when this one stops in between', async () => {
    const dataDir = temporaryFolder()
    await start({}, { dataDir })
    receiver.next.push(hang)
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    await receiver.count(1)
    await server.stop()
    await start({}, { dataDir })
    expect(await settled(run.run_id)).toMatchObject({ status: 'delivered', attempt: 2 })
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(second).toBe(first)
  })
})

describe('nothing is sent', () => {
  test.each([
    'http://127.0.0.1:1/',
    'http://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'ftp://a.example/',
    '//a.example/',
    'nonsense',
  ])('to %s, which no run can name', async (webhook) => {
    await start({ allowedAddresses: [] })
    const response = await fetch(`${server.url}/runs`, {
      method: 'POST',
      body: JSON.stringify({ assistant_id: 'steps', input: {}, webhook }),
    })
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: { loc: string[] }[] }
    expect(detail[0]?.loc).toEqual(['body', 'webhook'])
  })

  test('to a name that has come to stand for a forbidden address', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    await start({ allowedAddresses: [], resolve })
    for (let i = 0; i < 8; i++) receiver.next.push(answer(200))
    const { port } = new URL(receiver.url)
    const run = await server.client.runs.create(null, 'steps', steps(`http://hook.test:${port}/`))
    const { status, error } = await settled(run.run_id)
    expect(status).toBe('failed')
    expect(error).toContain('stands for no public address')
    expect(receiver.received).toEqual([])
  })

  test('to an address that is not public where the project refuses these, whatever the operator allows', async () => {
    await start(
      { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
      { configName: 'public-only.json' },
    )
    const create = (url: string) => server.client.runs.create(null, 'steps', steps(url))
    await expect(create(receiver.url)).rejects.toThrow('disable_private_ips')
    const { port } = new URL(receiver.url)
    const { run_id } = await create(`http://hooks.example.com:${port}/`)
    expect((await settled(run_id)).error).toContain('stands for no public address')
    expect(receiver.received).toEqual([])
  })

  test('where a redirect leads', async () => {
    await start()
    const inner = await startReceiver()
    for (let i = 0; i < 8; i++) receiver.next.push(answer(307, { location: inner.url }))
    const run = await server.client.runs.create(null, 'steps', steps(receiver.url))
    const { status, error } = await settled(run.run_id)
    expect([status, error]).toEqual(['failed', 'It answered 307; redirects are not followed.'])
    expect(inner.received).toEqual([])
    await inner.close()
  })
})

test('a project that has webhooks switched off refuses them', async () => {
  await start({}, { configName: 'switched-off.json' })
  const { client } = server
  const asked = steps(receiver.url)
  const refusals = await Promise.allSettled([
    client.runs.create(null, 'steps', asked),
    client.crons.create('steps', { schedule: '* * * * *', ...asked }),
  ])
  expect(refusals).toMatchObject(
    refusals.map(() => ({
      reason: { status: 422, message: expect.stringContaining('disable_webhooks') },
    })),
  )
  expect((await fetch(`${server.url}/webhooks/deliveries`)).status).toBe(404)
  expect(await client.runs.wait(null, 'steps', { input: {} })).toHaveProperty('trail')
})

test('deliveries are seen and sent again by those who may see their thread only', async () => {
  const byUser: Authorize = async (caller, event, value) => {
    const user = caller.headers['x-user'] ?? ''
    if (event.action === 'create' || event.action === 'create_run') {
      const { metadata } = value as { metadata?: Record<string, string> }
      if (metadata) metadata.owner = user
      return allowAll(caller, event, value)
    }
    return { owner: user }
  }
  await start({}, { authorize: byUser })
  const ask = async (user: string, path: string, method = 'GET', body?: object) => {
    const init = { method, headers: { 'x-user': user } }
    const response = await fetch(`${server.url}${path}`, {
      ...init,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, json: (await response.json()) as never }
  }
  const thread = await ask('ann', '/threads', 'POST', {})
  const { thread_id } = thread.json as { thread_id: string }
  const body = { assistant_id: 'steps', ...steps(receiver.url) }
  await ask('ann', `/threads/${thread_id}/runs/wait`, 'POST', body)
  await receiver.count(1)
  const list = async (user: string) =>
    (await ask(user, `/webhooks/deliveries?thread_id=${thread_id}`)).json as Delivery[]
  expect(await list('bob')).toEqual([])
  const [delivery] = await list('ann')
  const path = `/webhooks/deliveries/${delivery?.delivery_id}`
  expect((await ask('bob', path)).status).toBe(404)
  expect((await ask('bob', `${path}/redeliver`, 'POST')).status).toBe(404)
  expect((await ask('ann', path)).status).toBe(200)
  expect((await ask('ann', `${path}/redeliver`, 'POST')).status).toBe(200)
  await receiver.count(2)
})
