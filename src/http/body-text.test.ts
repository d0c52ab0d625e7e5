import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { requireUtf8 } from './body-text.ts'

it('a body is read once, and kept as a text only while it is answered', async () => {
  const app = new Hono().use(requireUtf8)
  app.post('/', async (c) => {
    const body = await c.req.json()
    return c.json({ body, kept: Object.keys(c.req.bodyCache) })
  })
  const headers = { 'content-type': 'application/json' }
  const answer = await app.request('/', { method: 'POST', headers, body: '{"a":"é"}' })
  expect(await answer.json()).toEqual({ body: { a: 'é' }, kept: ['text'] })
})
