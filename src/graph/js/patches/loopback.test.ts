import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectLoopback, type InProcessFetch, installLoopback } from './loopback.ts'

let disconnect = () => {}
beforeEach(installLoopback)
afterEach(() => disconnect())

const own = () =>
  (globalThis as unknown as Record<symbol, InProcessFetch>)[
    Symbol.for('langgraph_api:fetch')
  ] as InProcessFetch

function answerWith(body: string | ReadableStream | Promise<Response>): void {
  disconnect = connectLoopback(async () =>
    body instanceof Promise ? body : new Response(body, { status: 201, headers: { 'x-a': 'b' } }),
  )
}

it('answers as the server does', async () => {
  answerWith('hello')
  const response = await own()('http://localhost:8123/x', { signal: new AbortController().signal })
  expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([
    201,
    'b',
    'hello',
  ])
})

it('fails while no server answers', async () => {
  await expect(own()('http://localhost:8123/x')).rejects.toThrow('fetch failed')
})

it('lets go of an answer that does not come when its signal aborts', async () => {
  answerWith(new Promise<Response>(() => {}))
  const leaving = new AbortController()
  const asked = own()('http://localhost:8123/x', { signal: leaving.signal })
  leaving.abort(new Error('left'))
  await expect(asked).rejects.toThrow('left')
})

it('tells the server that the reader left in the middle of a body', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  answerWith(new ReadableStream({ cancel: () => resolve() }))
  const leaving = new AbortController()
  const response = await own()('http://localhost:8123/x', { signal: leaving.signal })
  const read = response.text()
  leaving.abort(new Error('left'))
  await expect(read).rejects.toThrow('left')
  await cancelled
})

it('leaves a server alone that was connected later', async () => {
  const first = connectLoopback(async () => new Response('first'))
  answerWith('second')
  first()
  expect(await (await own()('http://localhost:8123/x')).text()).toBe('second')
})
