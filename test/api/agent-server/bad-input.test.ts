import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

let thread_id: string

const server = forAllTests(startAgentServer)
beforeAll(async () => {
  thread_id = (await server.client.threads.create()).thread_id
})

/** `body`: sent as JSON. */
function call(method: string, path: string, body?: unknown): Promise<Response> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(`${server.url}${path}`, { method, ...sent })
}

async function send(path: string, body?: string, headers: Record<string, string> = {}) {
  const json = { 'content-type': 'application/json' }
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, body: (await response.json()) as { detail: unknown } }
}

const issue = (...loc: (string | number)[]) => [
  { loc, msg: expect.any(String), type: expect.any(String) },
]

describe('a request that does not validate is refused with the place and the reason', () => {
  test.each([
    ['malformed JSON', '{"assistant_id": ', ['body']],
    ['a list instead of an object', '[]', ['body']],
    ['null instead of an object', 'null', ['body']],
    ['no assistant', '{}', ['body', 'assistant_id']],
    ['an assistant that is a number', '{"assistant_id": 1}', ['body', 'assistant_id']],
    ['metadata that is a text', '{"assistant_id":"agent","metadata":"x"}', ['body', 'metadata']],
    ['a config that is a list', '{"assistant_id":"agent","config":[]}', ['body', 'config']],
    [
      'no steps at all',
      '{"assistant_id":"agent","config":{"recursion_limit":0}}',
      ['body', 'config', 'recursion_limit'],
    ],
    [
      'no tasks at a time',
      '{"assistant_id":"agent","config":{"max_concurrency":0}}',
      ['body', 'config', 'max_concurrency'],
    ],
    [
      'a delay that never ends',
      '{"assistant_id":"agent","after_seconds":1e300}',
      ['body', 'after_seconds'],
    ],
    [
      'a strategy that there is not',
      '{"assistant_id":"agent","multitask_strategy":"guess"}',
      ['body', 'multitask_strategy'],
    ],
    [
      'input that is nested without end',
      `{"assistant_id":"agent","input":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      ['body', 'input'],
    ],
  ])('%s', async (_, body, loc) => {
    const answer = await send(`/threads/${thread_id}/runs`, body)
    expect(answer).toEqual({ status: 422, body: { detail: issue(...loc) } })
  })

  test('a stream mode that there is not', async () => {
    const body = '{"assistant_id":"agent","stream_mode":["values","guess"]}'
    expect((await send('/runs/stream', body)).status).toBe(422)
  })

  test('ids that are no UUIDs', async () => {
    expect(await send('/threads/nobody')).toEqual({
      status: 422,
      body: { detail: [{ ...issue('path', 'thread_id')[0], type: 'uuid_parsing' }] },
    })
    expect((await send(`/threads/${thread_id}/runs/1/join`)).status).toBe(422)
    expect((await send('/threads', '{"thread_id":"x"}')).status).toBe(422)
  })
})

/** Each body is refused for its first field. */
const BODIES: [method: string, path: string, bodies: object[]][] = [
  [
    'POST',
    '/threads/:id/runs',
    [
      { webhook: '' },
      { feedback_keys: 'liked' },
      { durability: 'never' },
      { multitask_strategy: 'later' },
      { if_not_exists: 'maybe' },
      { on_disconnect: 'explode' },
      { after_seconds: -1 },
      { after_seconds: 1e12 },
      { stream_mode: 'all' },
      { metadata: [] },
      { interrupt_before: 'b' },
      { interrupt_after: [1] },
      { checkpoint: { checkpoint_id: 5 } },
      { config: { recursion_limit: 0 } },
      { config: { configurable: [] } },
      { command: { goto: 5 } },
      { command: { goto: [{ input: 1 }] } },
      { command: { update: 'all' } },
      { command: { update: [['a']] } },
    ],
  ],
  [
    'POST',
    '/threads/search',
    [
      ...[{ limit: 0 }, { limit: 1001 }, { offset: -1 }, { status: 'lazy' }, { sort_by: 'values' }],
      ...[{ select: ['secrets'] }, { ids: ['no-uuid'] }, { metadata: [] }, { values: 'text' }],
    ],
  ],
  ['PATCH', '/threads/:id', [{ metadata: [] }]],
  ['POST', '/threads/prune', [{ thread_ids: ['x'] }]],
  ['POST', '/threads/:id/state/checkpoint', [{ checkpoint: 'id' }]],
  ['POST', '/threads/:id/state', [{ values: 'text' }, { as_node: 1 }]],
  ['PATCH', '/threads/:id/state', [{ metadata: 'text' }]],
  [
    'POST',
    '/threads/:id/history',
    [{ limit: 0 }, { limit: '5' }, { metadata: 1 }, { checkpoint: 'x' }, { before: 1 }],
  ],
  ['POST', '/runs/cancel', [{ status: 'success' }, { thread_id: 'no-id', run_ids: [] }]],
]

/** Each query is refused for its parameter. */
const QUERIES: [method: string, path: string, queries: string[]][] = [
  [
    'GET',
    '/threads/:id/runs',
    ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'status=odd', 'select=odd'],
  ],
  ['GET', '/threads/:id/history', ['limit=0', 'limit=1001', 'limit=x']],
  ['GET', '/threads/:id/state', ['subgraphs=maybe', 'select=secrets']],
  ['GET', '/threads/:id/stream', ['stream_modes=values']],
  ['POST', `/threads/:id/runs/${randomUUID()}/cancel`, ['action=explode', 'wait=maybe']],
]

/** Refused as a whole. */
const WHOLE: [method: string, path: string, body: unknown][] = [
  ['POST', '/threads/prune', {}],
  ['POST', '/threads/prune', { thread_ids: [], strategy: 'hide' }],
  ['POST', '/threads/:id/state/checkpoint', {}],
  ['POST', '/threads/:id/state', []],
  ['PATCH', '/threads/x', { metadata: {} }],
  ['DELETE', '/threads/x', undefined],
  ['POST', '/runs/batch', []],
  ['POST', '/runs/batch', {}],
  ['POST', '/runs/batch', [{}]],
  ['POST', '/runs/batch', [{ assistant_id: 'slow', after_seconds: -1 }]],
  ['POST', '/runs/cancel?action=explode', { status: 'all' }],
  ['POST', '/runs/cancel', {}],
  ['POST', '/runs/cancel', { thread_id: randomUUID() }],
  ['POST', '/runs/cancel', { run_ids: [randomUUID()] }],
  ['POST', '/runs/cancel', { status: 'all', thread_id: randomUUID() }],
]

describe('a request that does not validate', () => {
  /** The place of the first issue of a request that has to be refused. */
  async function placeOf(method: string, path: string, body?: unknown) {
    const answer = await call(method, path.replace(':id', thread_id), body)
    expect([method, path, body, answer.status]).toEqual([method, path, body, 422])
    const { detail } = (await answer.json()) as { detail: { loc: string[] }[] }
    return detail[0]?.loc
  }

  test.each(BODIES)('%s %s names the field', async (method, path, bodies) => {
    for (const body of bodies) {
      const loc = await placeOf(method, path, { assistant_id: 'slow', ...body })
      expect(loc?.slice(0, 2)).toEqual(['body', Object.keys(body)[0]])
    }
  })

  test.each(QUERIES)('%s %s names the parameter', async (method, path, queries) => {
    for (const query of queries) {
      const loc = await placeOf(method, `${path}?${query}`)
      expect(loc?.slice(0, 2)).toEqual(['query', query.split('=')[0]])
    }
  })

  test.each(WHOLE)('%s %s is refused with %j', async (method, path, body) => {
    expect(await placeOf(method, path, body)).toBeInstanceOf(Array)
  })

  test('an idempotency key that is too long', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(256) }
    const body = '{"assistant_id":"slow"}'
    expect((await send(`/threads/${thread_id}/runs`, body, headers)).status).toBe(422)
  })
})

describe('what is not there is a 404 that says what', () => {
  const id = randomUUID()
  const thread = `/threads/${id}`
  test.each<[string, string, unknown, string]>([
    ...(
      [
        ['GET', thread],
        ['PATCH', thread, { metadata: {} }],
        ['POST', `${thread}/copy`],
        ['GET', `${thread}/storage`],
        ['GET', `${thread}/stream`],
        ['GET', `${thread}/history`],
        ['POST', `${thread}/history`, {}],
        ['GET', `${thread}/state`],
        ['GET', `${thread}/state/${id}`],
        ['POST', `${thread}/state/checkpoint`, { checkpoint: {} }],
        ['POST', `${thread}/state`, { values: {} }],
        ['PATCH', `${thread}/state`, { metadata: {} }],
        ['GET', `${thread}/runs`],
        ['GET', `${thread}/runs/${id}`],
        ['POST', `${thread}/runs`, { assistant_id: 'agent' }],
        ['GET', `/runs/${id}/stream`],
      ] as [string, string, unknown?][]
    ).map(([method, path, body]): [string, string, unknown, string] => [method, path, body, id]),
    ['GET', '/assistants/nobody', undefined, 'nobody'],
    ['POST', '/runs', { assistant_id: 'nobody' }, '"agent"'],
    ['GET', '/nowhere', undefined, '/nowhere'],
  ])('%s %s', async (method, path, body, told) => {
    const answer = await call(method, path, body)
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { detail: expect.stringContaining(told) },
    ])
  })

  test('a run of another thread', async () => {
    const run = await server.client.runs.create(thread_id, 'agent', { input: { messages: [] } })
    const other = (await server.client.threads.create()).thread_id
    for (const path of ['', '/join', '/stream']) {
      expect((await send(`/threads/${other}/runs/${run.run_id}${path}`)).status).toBe(404)
    }
  })
})

test('a last event id that is none is refused', async () => {
  const run = await server.client.runs.create(thread_id, 'agent', { input: { messages: [] } })
  for (const path of [`runs/${run.run_id}/stream`, 'stream']) {
    const headers = { 'last-event-id': 'rubbish' }
    const answer = await send(`/threads/${thread_id}/${path}`, undefined, headers)
    const detail = expect.stringContaining('rubbish')
    expect(answer).toMatchObject({ status: 400, body: { detail } })
  }
})

test.each([
  ['text/plain', { 'content-type': 'text/plain' }],
  ["a form's", { 'content-type': 'application/x-www-form-urlencoded' }],
  ['something of its own', { 'content-type': 'application/vnd.acme' }],
])('a JSON body is taken as such when its content type is %s', async (_, headers) => {
  const body = '{"assistant_id":"slow","input":{"count":1,"ms":1}}'
  expect(await send('/runs/wait', body, headers)).toMatchObject({ status: 200, body: { done: 1 } })
})

test('an empty query value is as good as none: the Python SDK sends one for None', async () => {
  const run = await server.client.runs.create(thread_id, 'agent', { input: { messages: [] } })
  const runs = `/threads/${thread_id}/runs`
  const stream = 'stream?cancel_on_disconnect=&stream_mode='
  const followed = await fetch(`${server.url}${runs}/${run.run_id}/${stream}`)
  expect(followed.status).toBe(200)
  await followed.text()
  expect((await send(`${runs}/${randomUUID()}/${stream}`)).status).toBe(404)
  expect((await send(`${runs}?limit=&status=&select=`)).status).toBe(200)
  expect((await send(`/threads/${thread_id}/state?subgraphs=&select=`)).status).toBe(200)
})

test('a body that is no UTF-8 is refused, and nothing of it is kept', async () => {
  const broken = Buffer.from('{"metadata":{"name":"caf\xe9"}}', 'latin1')
  const answer = await fetch(`${server.url}/threads`, { method: 'POST', body: broken })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({ detail: expect.stringContaining('UTF-8') })
  const whole = await fetch(`${server.url}/threads`, {
    method: 'POST',
    body: '{"metadata":{"name":"café"}}',
  })
  expect(await whole.json()).toMatchObject({ metadata: { name: 'café' } })
})

test('a thread can be made with no body at all', async () => {
  const response = await fetch(`${server.url}/threads`, { method: 'POST' })
  expect(response.status).toBe(200)
})

test('fields that are null or unknown are as good as absent', async () => {
  const body = JSON.stringify({
    assistant_id: 'slow',
    input: { count: 1, ms: 1 },
    command: null,
    config: null,
    metadata: null,
    checkpoint: null,
    webhook: null,
    stream_mode: null,
    multitask_strategy: null,
    on_disconnect: null,
    something_new: 1,
  })
  expect((await send(`/threads/${thread_id}/runs/wait`, body)).status).toBe(200)
})

test('input that the graph cannot use fails the run, not the request', async () => {
  const { run_id } = await server.client.runs.create(thread_id, 'agent', { input: { messages: 7 } })
  const values = await server.client.runs.join(thread_id, run_id)
  expect(values).toHaveProperty('__error__')
  expect((await server.client.runs.get(thread_id, run_id)).status).toBe('error')
})

test('a request that is too large is refused unread', async () => {
  const small = await startAgentServer({ maxBodyBytes: 100 })
  const body = JSON.stringify({ metadata: { text: 'x'.repeat(200) } })
  const announced = await fetch(`${small.url}/threads`, { method: 'POST', body })
  expect(announced.status).toBe(413)
  const chunked = await fetch(`${small.url}/threads`, {
    method: 'POST',
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
  const taken = await fetch(`${small.url}/threads`, {
    method: 'POST',
    body: new Blob(['{"metadata":{"a":1}}']).stream(),
    duplex: 'half',
  })
  expect(await taken.json()).toMatchObject({ metadata: { a: 1 } })
  await small.stop()
})
