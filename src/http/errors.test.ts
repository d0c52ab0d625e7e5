import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { refuseUnmatched } from './errors.ts'

const app = new Hono()
app.use('/things/*', (_, next) => next())
app.get('/things', (c) => c.text('all'))
app.post('/things', (c) => c.text('made'))
app.delete('/things/:id/parts/:part', (c) => c.text('gone'))
app.notFound(refuseUnmatched(app.routes))

async function ask(method: string, path: string) {
  const response = await app.request(path, { method })
  return { status: response.status, allow: response.headers.get('allow') }
}

test('a method that a path does not take is refused with those that it takes', async () => {
  expect(await ask('PUT', '/things')).toEqual({ status: 405, allow: 'GET, HEAD, POST' })
  expect(await ask('GET', '/things/1/parts/2')).toEqual({ status: 405, allow: 'DELETE' })
})

test('a path that is not there is not found, although middleware sees it', async () => {
  expect(await ask('GET', '/things/1')).toEqual({ status: 404, allow: null })
  expect(await ask('GET', '/nowhere')).toEqual({ status: 404, allow: null })
})
