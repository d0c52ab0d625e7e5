import { createRoute, z } from '@hono/zod-openapi'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../core/log.ts'
import { createApp } from './app.ts'

const BodySchema = z.object({ name: z.string().optional() })
const json = { 'application/json': { schema: BodySchema } }
const route = (path: string, required: boolean) =>
  createRoute({
    method: 'post',
    path,
    request: { body: { content: json, required } },
    responses: { 200: { description: 'The body', content: json } },
  })

const app = createApp(silentLog)
  .openapi(route('/needed', true), (c) => c.json(c.req.valid('json'), 200))
  .openapi(route('/optional', false), (c) => c.json(c.req.valid('json'), 200))

async function post(path: string, init: RequestInit) {
  const response = await app.request(path, { method: 'POST', ...init })
  return { status: response.status, body: await response.json() }
}

describe.each(['/needed', '/optional'])('%s', (path) => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json', 'image/png'])(
    'a body that calls itself %s is read as JSON',
    async (type) => {
      const init = { body: '{"name":"x"}', headers: { 'content-type': type } }
      expect(await post(path, init)).toEqual({ status: 200, body: { name: 'x' } })
    },
  )

  test('a body without a content type is read as JSON', async () => {
    const body = new TextEncoder().encode('{"name":"x"}')
    expect(await post(path, { body })).toEqual({ status: 200, body: { name: 'x' } })
  })

  test('no body at all is an empty object, whatever the content type says', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await post(path, { headers })).toEqual({ status: 200, body: {} })
    expect(await post(path, {})).toEqual({ status: 200, body: {} })
  })

  test('what is no JSON is refused as such', async () => {
    expect(await post(path, { body: '{"name":' })).toEqual({
      status: 422,
      body: { detail: [{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }] },
    })
  })
})

const QuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(10),
  mode: z.union([z.string(), z.array(z.string())]).optional(),
})
const listing = createRoute({
  method: 'get',
  path: '/things',
  request: { query: QuerySchema },
  responses: {
    200: { description: 'The query', content: { 'application/json': { schema: QuerySchema } } },
  },
})
const lister = createApp(silentLog).openapi(listing, (c) => c.json(c.req.valid('query'), 200))

test.each([
  ['', { limit: 10 }],
  ['?', { limit: 10 }],
  ['?limit=&mode=', { limit: 10 }],
  ['?mode', { limit: 10 }],
  ['?limit=2&mode=a&mode=', { limit: 2, mode: 'a' }],
  ['?mode=a&mode=&mode=b', { limit: 10, mode: ['a', 'b'] }],
])('"%s" is read as %j', async (query, read) => {
  const response = await lister.request(`/things${query}`)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(read)
})
