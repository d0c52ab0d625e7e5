import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { parseIpRange } from '../core/network/ip-range.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((settle) => server.close(settle))
  }
})

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const allowed = parseIpRange('loopback') ?? []
const resolve = async () => [{ address: '127.0.0.1', family: 4 }]

describe('a guarded fetch', () => {
  it('asks what the operator allows, and gives the whole answer', async () => {
    const port = await listen((request, response) => {
      response.writeHead(201, { 'x-seen': request.method ?? '' }).end('{"a":1}')
    })
    const { fetch } = createGuardedFetch({ allowed })
    const response = await fetch(`http://127.0.0.1:${port}/x`, { method: 'POST', body: 'b' })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-seen')).toBe('POST')
    expect(await response.json()).toEqual({ a: 1 })
  })

  it('does not go where a name leads that is not allowed, whatever it stood for before', async () => {
    let isAsked = false
    const port = await listen((_, response) => {
      isAsked = true
      response.end()
    })
    const elsewhere = parseIpRange('10.0.0.0/8') ?? []
    const { fetch, problemOf } = createGuardedFetch({ allowed: elsewhere, resolve })
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://provider.example.com:${port}/token`
      expect(problemOf(new URL(url))).toBeUndefined()
      const refusal = {
        code: 'unavailable',
        message: expect.stringContaining('RUNYARD_OAUTH_ALLOW'),
      }
      await expect(fetch(url)).rejects.toMatchObject(refusal)
    }
    expect(isAsked).toBe(false)
  })

  it('sends nothing in plain text to where it knows nobody', async () => {
    const { fetch } = createGuardedFetch({
      allowed,
      resolve: async () => [{ address: '192.88.99.7', family: 4 }],
    })
    const refusal = { code: 'unavailable' }
    await expect(fetch('http://provider.example.com/token')).rejects.toMatchObject(refusal)
    expect(createGuardedFetch({ allowed: [] }).problemOf(new URL('http://a.example.com'))).toBe(
      'Give an https URL.',
    )
  })

  it('follows no redirect', async () => {
    const port = await listen((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    })
    const { fetch } = createGuardedFetch({ allowed })
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(302)
  })

  it('ends what is too long or too slow', async () => {
    const long = await listen((_, response) => response.end('x'.repeat(1024 * 1024 + 1)))
    const slow = await listen(() => {})
    const { fetch } = createGuardedFetch({ allowed, timeoutMs: 100 })
    await expect(fetch(`http://127.0.0.1:${slow}/`)).rejects.toThrow('no answer in time')
    const patient = createGuardedFetch({ allowed })
    await expect(patient.fetch(`http://127.0.0.1:${long}/`)).rejects.toThrow('more than 1048576')
  })
})
