/** Both kinds of a body, through the answers that use them. */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { afterEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../core/log.ts'
import { JsonText, keepAliveJson } from './keep-alive-json.ts'
import { HEARTBEAT } from './sse.ts'
import { sseResponse } from './sse-response.ts'

const log = silentLog
const open: ReturnType<typeof serve>[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    const closed = once(server, 'close')
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
    await closed
  }
})

/** Sends a request over a socket, and settles when the head of the answer is there. */
async function ask(app: Hono): Promise<{ asked: ClientRequest; answer: IncomingMessage }> {
  const server = serve({ fetch: app.fetch, port: 0, overrideGlobalObjects: false })
  open.push(server)
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = request({ port, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { asked, answer }
}

async function text(answer: IncomingMessage): Promise<string> {
  return (await answer.setEncoding('utf8').toArray()).join('')
}

/** A promise that the test settles. */
const gate = () => Promise.withResolvers<void>()

async function* broken(): AsyncGenerator<string> {
  yield 'first\n\n'
  throw new Error('the server stops')
}

async function* frames(): AsyncGenerator<string> {
  yield 'one\n\n'
  yield 'two\n\n'
}

describe('over a socket', () => {
  test('the stream arrives whole, with its own headers and those of middleware', async () => {
    const app = new Hono()
    app.use(cors())
    app.get('/', (c) =>
      sseResponse(c, { source: frames, headers: { location: '/threads/t/runs/r/stream' }, log }),
    )
    const { answer } = await ask(app)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      location: '/threads/t/runs/r/stream',
      'access-control-allow-origin': '*',
    })
    expect(answer.headers).not.toHaveProperty('x-hono-already-sent')
    expect(await text(answer)).toBe('one\n\ntwo\n\n')
    expect(answer.complete).toBe(true)
  })

  test('a stream whose source fails is cut, never ended', async () => {
    const app = new Hono().get('/', (c) => sseResponse(c, { source: broken, log }))
    const { answer } = await ask(app)
    await expect(text(answer)).rejects.toThrow('aborted')
    expect(answer.complete).toBe(false)
  })

  test('silence is filled with heartbeats, the head being there before the first event', async () => {
    const { promise: isDone, resolve: finish } = gate()
    async function* slow(): AsyncGenerator<string> {
      await isDone
      yield 'late\n\n'
    }
    const app = new Hono().get('/', (c) => sseResponse(c, { source: slow, heartbeatMs: 5, log }))
    const { answer } = await ask(app)
    const [beat] = await once(answer.setEncoding('utf8'), 'data')
    expect(beat).toContain(HEARTBEAT)
    expect(beat.replaceAll(HEARTBEAT, '')).toBe('')
    finish()
    expect((await text(answer)).replaceAll(HEARTBEAT, '')).toBe('late\n\n')
  })

  test('a client that leaves is noticed once, and the source is told', async () => {
    const { promise: isLeft, resolve: leave } = gate()
    const calls: string[] = []
    async function* endless(signal: AbortSignal): AsyncGenerator<string> {
      yield 'first\n\n'
      await once(signal, 'abort')
      calls.push('source')
      leave()
    }
    const onDisconnect = () => calls.push('disconnect')
    const app = new Hono().get('/', (c) => sseResponse(c, { source: endless, onDisconnect, log }))
    const { answer } = await ask(app)
    answer.on('error', () => {})
    await once(answer, 'data')
    answer.destroy()
    await isLeft
    expect(calls.sort()).toEqual(['disconnect', 'source'])
  })

  test('a client that reads to the end did not leave', async () => {
    const calls: string[] = []
    const onDisconnect = () => calls.push('disconnect')
    const app = new Hono().get('/', (c) => sseResponse(c, { source: frames, onDisconnect, log }))
    const { asked, answer } = await ask(app)
    const closed = once(asked, 'close')
    await text(answer)
    await closed
    expect(calls).toEqual([])
  })

  test('an answer whose head is refused has no reader that leaves', async () => {
    const { promise: isClosed, resolve: close } = gate()
    const calls: string[] = []
    const app = new Hono()
    app.get('/', (c) => {
      const { outgoing } = c.env as HttpBindings
      outgoing.on('close', close)
      const onDisconnect = () => calls.push('disconnect')
      return sseResponse(c, { source: frames, headers: { 'x-name': '\u0001' }, onDisconnect, log })
    })
    app.onError((_, c) => {
      c.header('x-name', undefined)
      return c.text('refused', 500)
    })
    const { answer } = await ask(app)
    expect([answer.statusCode, await text(answer)]).toEqual([500, 'refused'])
    await isClosed
    expect(calls).toEqual([])
  })

  test('a client that reads slowly holds the source back', async () => {
    const chunk = 'x'.repeat(1 << 20)
    let given = 0
    async function* large(): AsyncGenerator<string> {
      for (; given < 64; given += 1) yield chunk
    }
    const app = new Hono().get('/', (c) => sseResponse(c, { source: large, log }))
    const { answer } = await ask(app)
    await once(answer, 'readable')
    expect(given).toBeLessThan(64)
    expect((await text(answer)).length).toBe(64 * chunk.length)
  })

  test('a JSON answer may be preceded by whitespace', async () => {
    const { promise: isDone, resolve: finish } = gate()
    const result = async () => {
      await isDone
      return { answer: 42 }
    }
    const app = new Hono().get('/', (c) => keepAliveJson(c, { result, heartbeatMs: 5, log }))
    const { answer } = await ask(app)
    expect(answer.headers['content-type']).toBe('application/json')
    const [beat] = await once(answer.setEncoding('utf8'), 'data')
    expect(beat.trim()).toBe('')
    finish()
    expect(JSON.parse(await text(answer))).toEqual({ answer: 42 })
  })

  test('a JSON answer that fails is cut', async () => {
    const { promise: result, reject: stop } = Promise.withResolvers<null>()
    const app = new Hono().get('/', (c) => keepAliveJson(c, { result: () => result, log }))
    const { answer } = await ask(app)
    stop(new Error('the server stops'))
    await expect(text(answer)).rejects.toThrow('aborted')
    expect(answer.complete).toBe(false)
  })

  test('a client that does not wait for its JSON is noticed', async () => {
    const { promise: isLeft, resolve: onDisconnect } = gate()
    const result = async (signal: AbortSignal) => {
      await once(signal, 'abort')
      return null
    }
    const app = new Hono().get('/', (c) => keepAliveJson(c, { result, onDisconnect, log }))
    const { answer } = await ask(app)
    answer.on('error', () => {})
    answer.destroy()
    await isLeft
  })
})

describe('within the process', () => {
  test('the stream arrives whole', async () => {
    const app = new Hono().get('/', (c) => sseResponse(c, { source: frames, log }))
    const response = await app.request('/')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe('one\n\ntwo\n\n')
  })

  test('a stream whose source fails is an error, never an end', async () => {
    const app = new Hono().get('/', (c) => sseResponse(c, { source: broken, log }))
    const response = await app.request('/')
    await expect(response.text()).rejects.toThrow('cut before its end')
  })

  test('a reader that leaves is noticed, and the source is closed', async () => {
    const { promise: isLeft, resolve: onDisconnect } = gate()
    const { promise: isDone, resolve: finish } = gate()
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield 'x'.repeat(100_000)
      } finally {
        finish()
      }
    }
    const app = new Hono().get('/', (c) => sseResponse(c, { source: endless, onDisconnect, log }))
    const reader = (await app.request('/')).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await Promise.all([isLeft, isDone])
  })

  test('the source waits for the reader', async () => {
    let given = 0
    async function* large(): AsyncGenerator<string> {
      for (; given < 64; given += 1) yield 'x'
    }
    const app = new Hono().get('/', (c) => sseResponse(c, { source: large, log }))
    const response = await app.request('/')
    const reader = response.body?.getReader()
    await reader?.read()
    expect(given).toBeLessThan(8)
    while (!(await reader?.read())?.done);
    expect(given).toBe(64)
  })

  test('a JSON answer is read as JSON', async () => {
    const result = async () => ({ answer: 42 })
    const app = new Hono().get('/', (c) => keepAliveJson(c, { result, log }))
    expect(await (await app.request('/')).json()).toEqual({ answer: 42 })
  })

  test.each(['', 'x'])('a long JSON answer comes in pieces, and whole (%j)', async (before) => {
    const text = JSON.stringify({ answer: before + '😀'.repeat(2 ** 20) })
    const result = async () => new JsonText(text)
    const app = new Hono().get('/', (c) => keepAliveJson(c, { result, log }))
    expect((await (await app.request('/')).text()).trimStart() === text).toBe(true)
  })
})
