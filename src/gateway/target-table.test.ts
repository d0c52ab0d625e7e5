import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World, withKey } from './gateway-fixture.ts'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

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
      await world.gateway.targets.drain(current.target.revision_id, 5_000)
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
    const drained = world.gateway.targets.drain(old.target.revision_id, 60_000)
    streams[0]?.end('to the end')
    expect(await response.text()).toBe('old to the end')
    await drained
  })
})

describe('drain', () => {
  it('settles at once when nothing is open', async () => {
    const agent = await world.serveAgent((_req, res) => res.end())
    await world.gateway.targets.drain(agent.target.revision_id, 60_000)
    await world.gateway.targets.drain('unheard of', 60_000)
  })

  it('cuts what is still open at its limit, so that clients reconnect', async () => {
    const old = await world.serveAgent((req, res) => {
      if (req.url === '/stream') res.write('data: 1\n\n')
    })
    const response = await fetch(`${world.url}/agents/agent/stream`, withKey)
    const unanswered = fetch(`${world.url}/agents/agent/wait`, withKey)
    const failed = expect(unanswered).rejects.toThrow()
    await expect.poll(() => connectionsOf(old.server)).toBe(2)
    await world.gateway.targets.drain(old.target.revision_id, 10)
    await expect(response.text()).rejects.toThrow()
    await failed
    await expect.poll(() => connectionsOf(old.server)).toBe(0)
  })
})

describe('set', () => {
  it('keeps the connections when the target is the same', async () => {
    const agent = await world.serveAgent((_req, res) => res.end())
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    world.gateway.targets.set('agent', { ...agent.target, endpoint: { ...agent.target.endpoint } })
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    expect(await connectionsOf(agent.server)).toBe(1)
  })

  it('closes the idle connections to what it replaces', async () => {
    const old = await world.serveAgent((_req, res) => res.end())
    await (await fetch(`${world.url}/agents/agent/ok`)).text()
    const next = await world.startAgent('revision-2', (_req, res) => res.end())
    world.gateway.targets.set('agent', next.target)
    await expect.poll(() => connectionsOf(old.server)).toBe(0)
  })
})

function connectionsOf(server: import('node:http').Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
