import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { keepAnswer } from './kept-answer.ts'

const headers = { 'content-type': 'text/plain', 'cache-control': 'no-cache' }

function appOf(make: () => string | Promise<string>): Hono {
  const app = new Hono()
  keepAnswer(app, '/page', { make, headers })
  return app
}

it('makes an answer once, however many ask for it', async () => {
  const make = vi.fn(async () => 'a page')
  const app = appOf(make)
  const answers = await Promise.all([1, 2, 3].map(() => app.request('/page')))
  for (const answer of answers) expect(await answer.text()).toBe('a page')
  expect((await app.request('/page', { method: 'HEAD' })).headers.get('content-length')).toBe('6')
  expect(make).toHaveBeenCalledTimes(1)
  expect(Object.fromEntries(answers[0]?.headers ?? [])).toMatchObject(headers)
})

it('sends nothing to a client that has it', async () => {
  const app = appOf(() => 'a page')
  const etag = (await app.request('/page')).headers.get('etag') ?? ''
  const known = await app.request('/page', { headers: { 'if-none-match': `"other", W/${etag}` } })
  expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag])
  const other = await app.request('/page', { headers: { 'if-none-match': '"other"' } })
  expect(other.status).toBe(200)
})

it('does not keep a failure', async () => {
  const make = vi
    .fn(() => 'a page')
    .mockImplementationOnce(() => {
      throw new Error('not yet')
    })
  const app = appOf(make)
  expect((await app.request('/page')).status).toBe(500)
  expect(await (await app.request('/page')).text()).toBe('a page')
})
