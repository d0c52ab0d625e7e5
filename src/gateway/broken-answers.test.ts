/** Answers about a run whose agent server is lost in the middle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { KEY, openWorld } from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'

const RUN = '/threads/t-1/runs/r-1'
const EVENTS = { 'content-type': 'text/event-stream', location: `${RUN}/stream` }
const RESULT = { 'content-type': 'application/json', location: `${RUN}/join` }

const event = (id: number) => `event: values\ndata: {"step":${id}}\nid: ${id}\n\n`

interface Asked {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
}
type Step = (res: ServerResponse) => unknown

let asked: Asked[]

const world = forEachTest(() => openWorld({ restartWaitMs: 300 }))
beforeEach(async () => {
  asked = []
})

/** Each request is answered by the next step. */
async function serveSteps(...steps: Step[]) {
  return await world.serveAgent(async (req, res) => {
    const { method, url, headers } = req
    asked.push({ method, url, headers })
    await buffer(req)
    await (steps.shift() ?? ((late: ServerResponse) => late.writeHead(410).end()))(res)
  })
}

/** Answers this much, and breaks the connection. */
function breaking(headers: Record<string, string>, ...parts: string[]): Step {
  return async (res) => {
    res.writeHead(200, headers).flushHeaders()
    for (const part of parts) await new Promise<unknown>((resolve) => res.write(part, resolve))
    res.destroy()
  }
}

function ending(headers: Record<string, string>, text: string): Step {
  return (res) => res.writeHead(200, headers).end(text)
}

function ask(path: string, init: RequestInit = {}) {
  return fetch(`${world.url}/agents/agent${path}`, {
    ...init,
    headers: { 'x-api-key': KEY, ...(init.headers as Record<string, string>) },
  })
}

function create(path: string, init: RequestInit = {}) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' }
  return ask(path, { method: 'POST', body: '{"input":{}}', headers, ...init })
}

describe('a stream that breaks', () => {
  it('goes on after the last whole event, as one answer', async () => {
    await serveSteps(
      breaking(EVENTS, event(0), event(1), event(2).slice(0, 20)),
      ending(EVENTS, event(2) + event(3)),
    )
    const response = await create('/threads/t-1/runs/stream')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe([0, 1, 2, 3].map(event).join(''))
    const [first, next] = asked
    expect(asked).toHaveLength(2)
    expect(next).toMatchObject({ method: 'GET', url: `${RUN}/stream` })
    expect(next?.headers).toMatchObject({ 'last-event-id': '1' })
    const kept = ['x-runyard-caller', 'x-runyard-role', 'x-runyard-gateway', 'x-forwarded-prefix']
    for (const name of kept) expect(next?.headers[name]).toBe(first?.headers[name])
    expect(next?.headers['x-runyard-caller']).toBe('u')
    for (const name of ['content-type', 'content-length', 'idempotency-key', 'x-api-key']) {
      expect(next?.headers).not.toHaveProperty(name)
    }
  })

  it('goes on when it breaks again, and before its first event', async () => {
    await serveSteps(
      breaking(EVENTS),
      breaking(EVENTS, event(0), event(1)),
      breaking(EVENTS, ': heartbeat\n'),
      ending(EVENTS, event(2)),
    )
    const text = await (await create('/runs/stream')).text()
    expect(text.replace(': heartbeat\n', '')).toBe([0, 1, 2].map(event).join(''))
    const ids = asked.map(({ headers }) => headers['last-event-id'])
    expect(ids).toEqual([undefined, '-1', '1', '1'])
  })

  it('is asked for as its client did', async () => {
    const path = `${RUN}/stream?stream_mode=values&cancel_on_disconnect=1`
    await serveSteps(breaking(EVENTS), breaking(EVENTS, event(8)), ending(EVENTS, event(9)))
    const response = await ask(path, { headers: { 'last-event-id': '7' } })
    expect(await response.text()).toBe(event(8) + event(9))
    expect(asked.map(({ url }) => url)).toEqual([path, path, path])
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual(['7', '7', '8'])
  })

  it('goes on at the next agent server, which the request waits for', async () => {
    const dying = await serveSteps(async (res) => {
      res.writeHead(200, EVENTS).write(event(0))
    })
    const response = await create('/threads/t-1/runs/stream')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(String(Buffer.from((await reader.read()).value ?? []))).toBe(event(0))
    const { deployment_id, workspace_id } = dying.target
    world.gateway.targets.hold('agent', { deployment_id, workspace_id, limitMs: 60_000 })
    dying.kill()
    const read = reader.read()
    const next = await world.startAgent('revision-2', (req, res) => {
      asked.push({ method: req.method, url: req.url, headers: req.headers })
      res.writeHead(200, EVENTS).end(event(1))
    })
    world.gateway.targets.set('agent', next.target)
    expect(String(Buffer.from((await read).value ?? []))).toBe(event(1))
    expect(await reader.read()).toMatchObject({ done: true })
    expect(asked.at(-1)?.headers).toMatchObject({ 'last-event-id': '0' })
    expect(asked.at(-1)?.headers['x-runyard-gateway']).toBe('token-of-revision-2')
  })

  it('is cut when no agent server comes back', async () => {
    const agent = await serveSteps((res) => res.writeHead(200, EVENTS).write(event(0)))
    const response = await create('/runs/stream')
    const text = response.text()
    text.catch(() => {})
    await expect.poll(() => asked.length).toBe(1)
    agent.kill()
    await expect(text).rejects.toThrow('terminated')
  })

  it('is cut when its run is not known any more', async () => {
    await serveSteps(breaking(EVENTS, event(0)), (res) => res.writeHead(404).end('{}'))
    await expect((await create('/runs/stream')).text()).rejects.toThrow('terminated')
    expect(asked).toHaveLength(2)
  })

  it('goes on where the next agent server refuses once for want of time', async () => {
    await serveSteps(
      breaking(EVENTS, event(0)),
      (res) => res.writeHead(503).end('{}'),
      ending(EVENTS, event(1)),
    )
    expect(await (await create('/runs/stream')).text()).toBe(event(0) + event(1))
  })

  it('is closed at the next agent server when the client leaves', async () => {
    const left = Promise.withResolvers<void>()
    await serveSteps(breaking(EVENTS, event(0)), (res) => {
      res.writeHead(200, EVENTS).write(event(1))
      res.once('close', () => left.resolve())
    })
    const abort = new AbortController()
    const response = await create('/runs/stream', { signal: abort.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await reader.read()
    abort.abort()
    await left.promise
  })

  it('that never goes on is cut after some breaks', async () => {
    const steps = Array.from({ length: 30 }, () => breaking(EVENTS))
    await serveSteps(...steps)
    await expect((await create('/runs/stream')).text()).rejects.toThrow('terminated')
    expect(asked.length).toBeLessThan(12)
  })
})

describe('a stream whose revision is replaced and drained', () => {
  it('goes on at the new one', async () => {
    const left = Promise.withResolvers<void>()
    const old = await serveSteps((res) => {
      res.once('close', () => left.resolve())
      res.writeHead(200, EVENTS).write(event(0) + event(1).slice(0, 9))
    })
    const response = await create('/threads/t-1/runs/stream')
    const next = await world.startAgent('revision-2', (req, res) => {
      asked.push({ method: req.method, url: req.url, headers: req.headers })
      res.writeHead(200, EVENTS).end(event(1))
    })
    world.gateway.targets.set('agent', next.target)
    await world.gateway.targets.drain(old.target, 5)
    expect(await response.text()).toBe(event(0) + event(1))
    expect(asked[1]?.headers).toMatchObject({ 'last-event-id': '0' })
    await left.promise
  })

  it('is cut where the old agent server cancels the run of a client that leaves', async () => {
    const old = await serveSteps((res) => {
      res.writeHead(200, { ...EVENTS, 'x-runyard-on-leave': 'cancel' }).write(event(0))
    })
    const response = await create('/runs/stream')
    await world.gateway.targets.drain(old.target, 5)
    await expect(response.text()).rejects.toThrow('terminated')
    expect(asked).toHaveLength(1)
  })
})

describe('an answer that waits for a run', () => {
  it('goes on after white space', async () => {
    await serveSteps(breaking(RESULT, '\n', '\n'), ending(RESULT, '\n{"a":1}'))
    const response = await create('/threads/t-1/runs/wait')
    expect(await response.json()).toEqual({ a: 1 })
    expect(asked[1]).toMatchObject({ method: 'GET', url: `${RUN}/join` })
  })

  it('goes on where a client joined the run, below a mount prefix', async () => {
    await serveSteps(breaking(RESULT), ending(RESULT, '[1]'))
    expect(await (await ask(`/below${RUN}/join?x=1`)).json()).toEqual([1])
    expect(asked[1]?.url).toBe(`/below${RUN}/join?x=1`)
  })

  it('is cut after a part of its value', async () => {
    await serveSteps(breaking(RESULT, '\n', '{"a"'), ending(RESULT, '{"a":1}'))
    await expect((await create('/runs/wait')).text()).rejects.toThrow('terminated')
    expect(asked).toHaveLength(1)
  })

  it('is cut when it has a length, or is about no run', async () => {
    const headers = { 'content-type': 'application/json' }
    await serveSteps(
      breaking({ ...RESULT, 'content-length': '9' }, ' '),
      breaking(headers, ' '),
      ending(RESULT, '{}'),
    )
    await expect((await create('/runs/wait')).text()).rejects.toThrow('terminated')
    await expect((await create('/runs/wait')).text()).rejects.toThrow('terminated')
    expect(asked).toHaveLength(2)
  })

  it('still cancels its run when the client leaves, where that was asked for', async () => {
    const left = Promise.withResolvers<void>()
    await serveSteps(breaking({ ...RESULT, 'x-runyard-on-leave': 'cancel' }, '\n'), (res) => {
      res.writeHead(200, RESULT).flushHeaders()
      res.once('close', () => left.resolve())
    })
    const abort = new AbortController()
    const response = await create('/runs/wait', { signal: abort.signal })
    expect(response.headers.get('x-runyard-on-leave')).toBeNull()
    await expect.poll(() => asked.length).toBe(2)
    expect(asked[1]?.url).toBe(`${RUN}/join?cancel_on_disconnect=1`)
    abort.abort()
    await left.promise
  })
})
