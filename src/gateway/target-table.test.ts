import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Agent, openWorld, withKey } from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'
import type { Endpoints } from '../core/deployment/runtime.ts'
import { DEFAULT_WORKSPACE_ID } from '../core/people/api-key.ts'

const world = forEachTest(openWorld)

describe('a switch', () => {
  it('fails none of the requests that are open or arrive while the old one is drained', async () => {
    const answer = (name: string) => (_req: unknown, res: ServerResponse) => {
      setImmediate(() => res.end(name))
    }
    let current = await world.startAgent('revision-0', answer('revision-0'))
    world.gateway.targets.set('agent', current.target)
    const client = async () => {
      const seen: string[] = []
      for (let i = 0; i < 30; i += 1) {
        const init = {
          ...withKey,
          method: i % 2 ? 'POST' : 'GET',
          ...(i % 2 ? { body: '{}' } : {}),
        }
        const response = await fetch(`${world.url}/agents/agent/x`, init)
        const text = await response.text()
        expect([response.status, text]).toEqual([200, response.headers.get('x-runyard-revision')])
        seen.push(text)
      }
      return seen
    }
    const clients = Promise.all(Array.from({ length: 40 }, client))
    for (let number = 1; number <= 5; number += 1) {
      const next = await world.startAgent(`revision-${number}`, answer(`revision-${number}`))
      world.gateway.targets.set('agent', next.target)
      await world.gateway.targets.drain(current.target, 5_000)
      current.kill()
      current = next
    }
    const seen = (await clients).flat()
    expect(seen).toHaveLength(1200)
    expect(seen).toContain('revision-5')
  }, 30_000)

  it('leaves what is open where it is', async () => {
    const streams: ServerResponse[] = []
    const old = await world.serveAgent((_req, res) => {
      streams.push(res)
      res.write('old ')
    })
    const response = await fetch(`${world.url}/agents/agent/stream`, withKey)
    const next = await world.startAgent('revision-2', (_req, res) => res.end('new'))
    world.gateway.targets.set('agent', next.target)
    expect(await (await fetch(`${world.url}/agents/agent/x`, withKey)).text()).toBe('new')
    const drained = world.gateway.targets.drain(old.target, 60_000)
    streams[0]?.end('to the end')
    expect(await response.text()).toBe('old to the end')
    await drained
  })
})

describe('drain', () => {
  it('settles at once when nothing is open', async () => {
    const agent = await world.serveAgent((_req, res) => res.end())
    await world.gateway.targets.drain(agent.target, 60_000)
    await world.gateway.targets.drain({ revision_id: 'unheard of' }, 60_000)
  })

  it('cuts streams at its limit, so that clients reconnect, and the rest later', async () => {
    const answers: ServerResponse[] = []
    const old = await world.serveAgent((req, res) => {
      if (req.url === '/wait') return answers.push(res)
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      res.write('data: 1\n\n')
    })
    const stream = await fetch(`${world.url}/agents/agent/stream`, withKey)
    const waiting = fetch(`${world.url}/agents/agent/wait`, withKey)
    await expect.poll(() => answers.length).toBe(1)
    const drained = world.gateway.targets.drain(old.target, 10)
    await expect(stream.text()).rejects.toThrow()
    answers[0]?.end('at last')
    expect(await (await waiting).text()).toBe('at last')
    await drained
    const hopeless = expect(fetch(`${world.url}/agents/agent/wait`, withKey)).rejects.toThrow()
    await expect.poll(() => answers.length).toBe(2)
    await world.gateway.targets.drain(old.target, 5, 5)
    await hopeless
  })

  it('is of one agent server where it is named', async () => {
    const [one, other] = [await serveStreams('a'), await serveStreams('b')]
    const endpoints: Endpoints = [one.target.endpoints[0], other.target.endpoints[0]]
    world.gateway.targets.set('agent', { ...one.target, endpoints })
    const streams = [await open('/x'), await open('/x')]
    const { url } = endpoints[0]
    await world.gateway.targets.drain({ revision_id: one.target.revision_id, url }, 5)
    const isCut = streams.map((stream) => stream.text().catch(() => 'cut'))
    expect(await Promise.race(isCut)).toBe('cut')
    await expect.poll(() => connectionsOf(other.server)).toBe(1)
  })
})

describe('several agent servers', () => {
  it('take the requests in turn, the least busy one first', async () => {
    const agents = [await serveStreams('a'), await serveStreams('b'), await serveStreams('c')]
    const endpoints = agents.map((agent) => agent.target.endpoints[0]) as unknown as Endpoints
    const [first] = agents
    world.gateway.targets.set('agent', { ...(first as Agent).target, endpoints })
    const seen: (string | null)[] = []
    const streams: Response[] = []
    for (let i = 0; i < 6; i += 1) streams.push(await open('/stream'))
    for (const stream of streams) seen.push(stream.headers.get('x-who'))
    expect(seen.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
    for (const stream of streams) await stream.body?.cancel()
  })

  it("keep a thread's requests while they are about as busy as the others", async () => {
    const agents = [await serveStreams('a'), await serveStreams('b')]
    const endpoints = agents.map((agent) => agent.target.endpoints[0]) as unknown as Endpoints
    const [first] = agents
    world.gateway.targets.set('agent', { ...(first as Agent).target, endpoints })
    const path = `/threads/${randomUUID()}/stream`
    const streams: Response[] = []
    for (let i = 0; i < 6; i += 1) streams.push(await open(path))
    const seen = streams.map((stream) => stream.headers.get('x-who'))
    expect(new Set(seen.slice(0, 5)).size).toBe(1)
    expect(seen[5]).not.toBe(seen[0])
    for (const stream of streams) await stream.body?.cancel()
  })
})

describe('hold', () => {
  const owner = { deployment_id: 'deployment-1', workspace_id: DEFAULT_WORKSPACE_ID }

  it('lets requests wait for a target, and tells that they do', async () => {
    let asked = 0
    const onRequest = () => {
      asked += 1
    }
    world.gateway.targets.hold('agent', { ...owner, limitMs: 60_000, onRequest })
    const waiting = ['GET', 'POST'].map((method) =>
      fetch(`${world.url}/agents/agent/x`, { ...withKey, method }),
    )
    await expect.poll(() => asked).toBe(2)
    expect(world.gateway.targets.activity('agent').open).toBe(2)
    await world.serveAgent((_req, res) => res.end('here'))
    for (const answer of await Promise.all(waiting)) expect(await answer.text()).toBe('here')
    await expect.poll(() => world.gateway.targets.activity('agent').open).toBe(0)
  })

  it('answers 503 with Retry-After when it has lasted too long', async () => {
    world.gateway.targets.hold('agent', { ...owner, limitMs: 20 })
    const response = await fetch(`${world.url}/agents/agent/x`, withKey)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
  })

  it('is read back, and with it whether someone has asked for what sleeps', async () => {
    const { targets } = world.gateway
    expect(targets.observe('agent')).toEqual({ kind: 'unknown' })
    targets.hold('agent', { ...owner, limitMs: 20 })
    expect(targets.observe('agent')).toEqual({ kind: 'held' })
    targets.hold('agent', { ...owner, limitMs: 20, onRequest: () => {} })
    expect(targets.observe('agent')).toEqual({ kind: 'asleep', isWanted: false })
    await fetch(`${world.url}/agents/agent/x`, withKey)
    expect(targets.observe('agent')).toEqual({ kind: 'asleep', isWanted: true })
    targets.hold('agent', { ...owner, limitMs: 20, onRequest: () => {} })
    expect(targets.observe('agent')).toEqual({ kind: 'asleep', isWanted: false })
    targets.pause('agent', owner)
    expect(targets.observe('agent')).toEqual({ kind: 'paused' })
    const { target } = await world.serveAgent((_req, res) => res.end())
    const { revision_id, endpoints } = target
    expect(targets.observe('agent')).toEqual({ kind: 'serving', revision_id, endpoints })
  })

  it('lets nobody wait without a key', async () => {
    world.gateway.targets.hold('agent', { ...owner, limitMs: 60_000 })
    expect((await fetch(`${world.url}/agents/agent/x`)).status).toBe(401)
  })
})

describe('set', () => {
  it('keeps the connections when the target is the same', async () => {
    const agent = await world.serveAgent((_req, res) => res.end())
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    world.gateway.targets.set('agent', {
      ...agent.target,
      endpoints: [{ ...agent.target.endpoints[0] }],
    })
    // A second connection, since the first is not used again so soon.
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    expect(await connectionsOf(agent.server)).toBe(2)
  })

  it('closes the idle connections to what it replaces', async () => {
    const old = await world.serveAgent((_req, res) => res.end())
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    const next = await world.startAgent('revision-2', (_req, res) => res.end())
    world.gateway.targets.set('agent', next.target)
    await expect.poll(() => connectionsOf(old.server)).toBe(0)
  })
})

/** Serves streams that say who serves them, and go on until they are cut. */
function serveStreams(who: string): Promise<Agent> {
  return world.startAgent('revision-1', (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'x-who': who })
    res.write(`data: ${who}\n\n`)
  })
}

const open = (path: string) => fetch(`${world.url}/agents/agent${path}`, withKey)

function connectionsOf(server: import('node:http').Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
