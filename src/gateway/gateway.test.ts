import { once } from 'node:events'
import http from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Agent,
  echo,
  exchangeBytes,
  OTHER_KEY,
  openWorld,
  type World,
  withKey,
} from '../../test/support/gateway/gateway-world.ts'
import type { PassedRequest } from '../core/agent/server/metrics.ts'

let world: World

beforeEach(async () => {
  world = await openWorld({ maxBodyBytes: 1000, restartWaitMs: 60_000 })
})
afterEach(() => world.close())

describe('routing', () => {
  it('passes the path and the query on behind the prefix, as they are', async () => {
    await world.serveAgent(echo)
    const answer = await raw('GET /agents/agent/a%20b//c%2Fd?q=%C3%A4&q=+&x=[1] HTTP/1.1')
    expect(answer).toContain('"url":"/a%20b//c%2Fd?q=%C3%A4&q=+&x=[1]"')
  })

  it('gives everything else to the control plane', async () => {
    const response = await fetch(`${world.url}/v2/deployments?limit=1`)
    expect(await response.text()).toBe('control plane: /v2/deployments?limit=1')
  })

  it('answers 404 for a name that nothing has', async () => {
    const response = await fetch(`${world.url}/agents/nobody/threads`, withKey)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: 'There is no deployment "nobody".' })
  })

  it('answers 404 after the name was removed', async () => {
    await world.serveAgent(echo)
    world.gateway.targets.remove('agent')
    expect((await fetch(`${world.url}/agents/agent/ok`)).status).toBe(404)
  })

  it('answers 503 with Retry-After while the name is paused', async () => {
    world.gateway.targets.pause('agent', {
      deployment_id: 'deployment-1',
      workspace_id: (await world.startAgent('r', echo)).target.workspace_id,
    })
    const response = await fetch(`${world.url}/agents/agent/threads`, withKey)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect((await fetch(`${world.url}/agents/agent/threads`)).status).toBe(401)
  })

  it.each(['/agents/agent/../../v2/x', '/agents/agent/%2e%2e/other/ok', '/agents/agent/..%2fx'])(
    'refuses %s before anybody sees it',
    async (target) => {
      await world.serveAgent(echo)
      expect(await raw(`GET ${target} HTTP/1.1`)).toMatch(/^HTTP\/1.1 400 .*"detail"/s)
    },
  )
})

it('reports each request to an agent, and whether it is a glance', async () => {
  await world.close()
  const passed: PassedRequest[] = []
  world = await openWorld({ onPassed: (request) => passed.push(request) })
  await world.serveAgent(echo)
  for (const wake of [{}, { 'x-runyard-wake': 'glance' }, { 'x-runyard-wake': 'never' }]) {
    const headers = { ...withKey.headers, ...wake }
    await (await fetch(`${world.url}/agents/agent/threads`, { headers })).text()
  }
  const ofAgent = { deployment: 'agent', status: 200 }
  await expect
    .poll(() => passed)
    .toMatchObject([
      { ...ofAgent, isGlance: false },
      { ...ofAgent, isGlance: true },
      { ...ofAgent, isGlance: true },
    ])
})

describe('a domain', () => {
  beforeEach(async () => {
    await world.close()
    world = await openWorld({ domain: 'agents.example.com', restartWaitMs: 500 })
  })

  const at = (host: string, target: string, hasKey = true) =>
    raw(`GET ${target} HTTP/1.1\r\nHost: ${host}`, hasKey)

  it('leads to a deployment by its name, at the root', async () => {
    const { target } = await world.startAgent('revision-1', echo)
    world.gateway.targets.set('my_agent', target)
    for (const host of ['my-agent.agents.example.com', 'MY_AGENT.Agents.Example.com:8124']) {
      const answer = await at(host, '/agents/x?y=1')
      expect(answer).toContain('"url":"/agents/x?y=1"')
      expect(answer).toContain('x-runyard-revision: revision-1')
      expect(answer).not.toContain('x-forwarded-prefix')
    }
    expect(await at('my-agent.agents.example.com', '/x', false)).toMatch(/^HTTP\/1.1 401 /)
    expect(await at('my-agent.agents.example.com', '/../x')).toMatch(/^HTTP\/1.1 400 /)
  })

  it('leads to nothing by another name, and to the control plane by itself', async () => {
    await world.serveAgent(echo)
    expect(await at('other.agents.example.com', '/ok')).toMatch(/^HTTP\/1.1 404 /)
    expect(await at('a.agent.agents.example.com', '/ok')).toMatch(/^HTTP\/1.1 404 /)
    for (const host of ['agents.example.com', 'agent.agents.example.org', 'localhost']) {
      expect(await at(host, '/v2/x')).toContain('control plane: /v2/x')
    }
    expect(await at('agents.example.com', '/agents/agent/threads')).toContain('"url":"/threads"')
  })
})

describe('keys', () => {
  it('refuses a request without a valid key before it is passed on', async () => {
    let passed = 0
    await world.serveAgent((_req, res) => {
      passed += 1
      res.end()
    })
    const response = await fetch(`${world.url}/agents/agent/threads`, {
      method: 'POST',
      body: '{}',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ detail: expect.stringContaining('X-Api-Key') })
    expect(passed).toBe(0)
  })

  it('hides the deployments of other workspaces', async () => {
    await world.serveAgent(echo)
    const response = await fetch(`${world.url}/agents/agent/threads`, {
      headers: { 'x-api-key': OTHER_KEY },
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: 'There is no deployment "agent".' })
  })

  it.each([
    ['GET', '/ok', {}],
    ['GET', '/info', {}],
    ['GET', '/ui/agent/entry.js', {}],
    ['OPTIONS', '/threads', { 'access-control-request-method': 'POST' }],
  ])('passes %s %s without a key', async (method, path, headers) => {
    await world.serveAgent(echo)
    const response = await fetch(`${world.url}/agents/agent${path}`, { method, headers })
    expect(await response.json()).toMatchObject({ method, url: path })
  })

  it('asks for a key for a path that only a URL parser would take for an open one', async () => {
    await world.serveAgent(echo)
    expect(await raw('GET /agents/agent//ok HTTP/1.1', false)).toMatch(/^HTTP\/1.1 401 /)
  })
})

describe('headers', () => {
  it('adds the token and the origin, and strips what a client may not say', async () => {
    const agent = await world.serveAgent(echo)
    const answer = await raw(
      'POST /agents/agent/x HTTP/1.1\r\nX-Runyard-Gateway: forged\r\nX-Runyard-User: forged\r\n' +
        'X-Forwarded-Prefix: /forged\r\nX-Forwarded-For: 10.0.0.1\r\nConnection: X-Hop, close\r\n' +
        'X-Hop: 1\r\nTE: trailers\r\nX-Mine: 1\r\nX-Mine: 2\r\nContent-Length: 2',
      true,
      '{}',
    )
    const { headers, body } = jsonOf(answer)
    expect(body).toBe('{}')
    expect(headers).toMatchObject({
      'x-runyard-gateway': agent.target.endpoints[0].token,
      'x-forwarded-prefix': '/agents/agent',
      'x-forwarded-for': '10.0.0.1, 127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'gateway.example',
      host: 'gateway.example',
      'x-mine': '1, 2',
    })
    for (const dropped of ['x-runyard-user', 'x-hop', 'te'])
      expect(headers).not.toHaveProperty(dropped)
  })

  it('names the revision, and passes the rest of the answer on as it is', async () => {
    await world.serveAgent((_req, res) => {
      res.writeHead(201, 'Made', [
        ['Location', '/threads/1/runs/2/stream'],
        ['Content-Location', '/threads/1/runs/2'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Latin', 'caf\xe9'],
        ['X-Runyard-Revision', 'forged'],
        ['X-Hop', '1'],
        ['Connection', 'X-Hop'],
      ])
      res.end('made')
    })
    const answer = await raw('GET /agents/agent/ HTTP/1.1')
    expect(answer).toMatch(/^HTTP\/1.1 201 Made\r\n/)
    for (const line of [
      'Location: /threads/1/runs/2/stream',
      'Content-Location: /threads/1/runs/2',
      'set-cookie: a=1; Path=/agents/agent',
      'set-cookie: b=2; Path=/agents/agent',
      'X-Latin: caf\xe9',
      'x-runyard-revision: revision-1',
    ]) {
      expect(answer).toContain(`\r\n${line}\r\n`)
    }
    expect(answer).not.toContain('forged')
    expect(answer).not.toContain('X-Hop')
  })
})

describe('messages', () => {
  it('answers HEAD, 204 and 304 without a body and keeps the connection usable', async () => {
    await world.serveAgent((req, res) => {
      if (req.url === '/head') res.writeHead(200, { 'content-length': 5 }).end()
      else res.writeHead(Number(req.url?.slice(1)), { etag: '"x"' }).end()
    })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (method: string, path: string) => request(method, path, { agent })
    const head = await ask('HEAD', '/head')
    expect(head.headers['content-length']).toBe('5')
    expect((await ask('GET', '/204')).statusCode).toBe(204)
    expect((await ask('GET', '/304')).headers.etag).toBe('"x"')
    expect((await ask('GET', '/204')).statusCode).toBe(204)
    agent.destroy()
  })

  it('passes chunked bodies and trailers on', async () => {
    await world.serveAgent((req, res) => {
      res.writeHead(200, { trailer: 'x-sum' })
      req.on('data', (chunk) => res.write(chunk))
      req.on('end', () => {
        res.addTrailers({ 'x-sum': '42' })
        res.end()
      })
    })
    const answer = await raw(
      'POST /agents/agent/x HTTP/1.1\r\nTransfer-Encoding: chunked',
      true,
      '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    )
    expect(answer).toMatch(/abc.*0\r\nx-sum: 42\r\n\r\n$/s)
  })

  it('asks for the body only once the request may pass', async () => {
    await world.serveAgent(echo)
    const head = 'POST /agents/agent/x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2'
    const passed = await raw(head, true, '{}')
    expect(passed).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/)
    expect(jsonOf(passed).headers).not.toHaveProperty('expect')
    expect(await raw(head, false)).toMatch(/^HTTP\/1.1 401 /)
  })

  it('answers HTTP/1.0 without chunks', async () => {
    await world.serveAgent((_req, res) => {
      res.write('one ')
      res.end('two')
    })
    const answer = await raw('GET /agents/agent/x HTTP/1.0')
    expect(answer).toMatch(/\r\n\r\none two$/)
    expect(answer).not.toMatch(/transfer-encoding/i)
  })

  it('refuses a body that is announced as too large', async () => {
    await world.serveAgent(echo)
    const response = await fetch(`${world.url}/agents/agent/x`, {
      method: 'POST',
      body: 'x'.repeat(1001),
      ...withKey,
    })
    expect(response.status).toBe(413)
  })

  it('refuses a body that turns out to be too large, and the agent server sees it break', async () => {
    const began = Promise.withResolvers<void>()
    const broke = Promise.withResolvers<void>()
    await world.serveAgent((req) => {
      req.once('data', () => began.resolve())
      req.once('error', () => broke.resolve())
    })
    const req = http.request(`${world.url}/agents/agent/x`, { method: 'POST', ...withKey })
    const answered = once(req, 'response')
    req.write('x'.repeat(600))
    await began.promise
    req.end('x'.repeat(600))
    const [res] = (await answered) as [http.IncomingMessage]
    expect(res.statusCode).toBe(413)
    res.resume()
    await broke.promise
  })

  it.each([
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['nonsense\r\n\r\n', 400],
    ['GET /agents/agent/x HTTP/1.1\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ])('answers what is no HTTP/1 with an error and closes (%#)', async (bytes, status) => {
    expect(await exchangeBytes(world.port, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

describe('an agent server that does not answer', () => {
  it('is waited for while its successor starts', async () => {
    const old = await world.serveAgent(echo)
    await fetch(`${world.url}/agents/agent/ok`)
    old.kill()
    const waiting = fetch(`${world.url}/agents/agent/threads`, {
      method: 'POST',
      body: '{"a":1}',
      ...withKey,
    })
    await once(old.server, 'close').catch(() => undefined)
    const next = await world.startAgent('revision-2', echo)
    world.gateway.targets.set('agent', next.target)
    const response = await waiting
    expect(response.headers.get('x-runyard-revision')).toBe('revision-2')
    expect(await response.json()).toMatchObject({ method: 'POST', body: '{"a":1}' })
  })

  it('is asked again for a read, and not for a write', async () => {
    const asked: string[] = []
    await world.serveAgent((req, res) => {
      asked.push(`${req.method}`)
      if (req.method === 'POST' || asked.length === 1) req.socket.destroy()
      else res.end('second')
    })
    const read = await fetch(`${world.url}/agents/agent/threads`, withKey)
    expect(await read.text()).toBe('second')
    const write = await fetch(`${world.url}/agents/agent/threads`, { method: 'POST', ...withKey })
    expect(write.status).toBe(503)
    expect(write.headers.get('retry-after')).toBe('1')
    expect(asked).toEqual(['GET', 'GET', 'POST'])
  })

  it('is not replaced by one of another workspace that has taken over the name', async () => {
    const old = await world.serveAgent(echo)
    old.kill()
    const waiting = fetch(`${world.url}/agents/agent/threads`, withKey)
    await fetch(`${world.url}/v2/anything`)
    const foreign = (await world.startAgent('revision-2', echo)).target
    world.gateway.targets.set('agent', { ...foreign, workspace_id: 'another' })
    expect((await waiting).status).toBe(404)
  })

  it('is not broken again and again by the same read', async () => {
    let asked = 0
    await world.serveAgent((req) => {
      asked += 1
      req.socket.destroy()
    })
    const response = await fetch(`${world.url}/agents/agent/threads`, withKey)
    expect(response.status).toBe(503)
    expect(asked).toBe(3)
  })

  it('is given up on after a while', async () => {
    const hasty = await openWorld({ restartWaitMs: 500 })
    const agent: Agent = await hasty.serveAgent(echo)
    agent.kill()
    const response = await fetch(`${hasty.url}/agents/agent/threads`, withKey)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ detail: expect.stringContaining('cannot be reached') })
    await hasty.close()
  })
})

describe('stop', () => {
  it('cuts what is open, accepts no connection afterwards, and can be called again', async () => {
    await world.serveAgent((_req, res) => void res.write('data: 1\n\n'))
    const response = await fetch(`${world.url}/agents/agent/stream`, withKey)
    await world.gateway.stop()
    await expect(response.text()).rejects.toThrow()
    await expect(fetch(`${world.url}/agents/agent/ok`)).rejects.toThrow()
    await world.gateway.stop()
  })
})

/**
 * Sends one request that is written by hand, with the key unless told otherwise. Answers everything that
 * comes back.
 */
async function raw(head: string, hasKey = true, body = ''): Promise<string> {
  const key = hasKey ? 'X-Api-Key: key-of-default\r\n' : ''
  const host = 'Host: gateway.example\r\n'
  const close = /^connection:/im.test(head) ? '' : 'Connection: close\r\n'
  return await exchangeBytes(world.port, `${head}\r\n${host}${close}${key}\r\n${body}`)
}

function jsonOf(answer: string): { headers: Record<string, string>; body: string } {
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
}

async function request(
  method: string,
  path: string,
  options: http.RequestOptions,
): Promise<http.IncomingMessage> {
  const req = http.request(`${world.url}/agents/agent${path}`, { method, ...withKey, ...options })
  req.end()
  const [res] = (await once(req, 'response')) as [http.IncomingMessage]
  res.resume()
  await once(res, 'end')
  return res
}
