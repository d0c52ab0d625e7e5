import { createRoute, z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { silentLog } from '../core/log.ts'
import { createApp } from './app.ts'

const QuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(10),
  mode: z.union([z.string(), z.array(z.string())]).optional(),
})
const route = createRoute({
  method: 'get',
  path: '/things',
  request: { query: QuerySchema },
  responses: {
    200: { description: 'The query', content: { 'application/json': { schema: QuerySchema } } },
  },
})
const app = createApp(silentLog).openapi(route, (c) => c.json(c.req.valid('query'), 200))

test.each([
  ['', { limit: 10 }],
  ['?', { limit: 10 }],
  ['?limit=&mode=', { limit: 10 }],
  ['?mode', { limit: 10 }],
  ['?limit=2&mode=a&mode=', { limit: 2, mode: 'a' }],
  ['?mode=a&mode=&mode=b', { limit: 10, mode: ['a', 'b'] }],
])('"%s" is read as %j', async (query, read) => {
  const response = await app.request(`/things${query}`)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(read)
})
