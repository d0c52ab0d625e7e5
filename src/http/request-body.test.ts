import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { silentLog } from '../core/log.ts'
import { onError } from './errors.ts'
import { requireUtf8 } from './request-body.ts'

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

it('a compressed body is refused as such, one that says it is not is taken', async () => {
  const app = new Hono().use(requireUtf8).onError(onError(silentLog))
  app.post('/', async (c) => c.json(await c.req.json()))
  const post = (encoding: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    return app.request('/', { method: 'POST', headers, body })
  }
  const refused = await post('gzip', new Uint8Array(gzipSync('{"a":1}')))
  expect(refused.status).toBe(415)
  expect(await refused.json()).toEqual({
    detail:
      'A body in "gzip" is not supported. Send the body uncompressed, without a Content-Encoding.',
  })
  expect(await (await post('Identity', '{"a":1}')).json()).toEqual({ a: 1 })
})
