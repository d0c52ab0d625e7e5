import http, { type IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { echo, openWorld, withKey } from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'

const world = forEachTest(() => openWorld({ domain: 'example.test' }))

const OWN = 'runyard_session_8124=s; __Host-runyard_session=t; runyard_studio_2024=u'

async function sent(headers: Record<string, string>): Promise<IncomingHttpHeaders> {
  await world.serveAgent(echo)
  const response = await fetch(`${world.url}/agents/agent/x`, {
    headers: { ...withKey.headers, ...headers },
  })
  return ((await response.json()) as { headers: IncomingHttpHeaders }).headers
}

describe('an agent server', () => {
  it('never sees our cookies, and its own as they are', async () => {
    expect((await sent({ cookie: `a=1; ${OWN}; b="x=y"` })).cookie).toBe('a=1; b="x=y"')
  })

  it('gets no cookie header when there were ours alone', async () => {
    expect(await sent({ cookie: OWN })).not.toHaveProperty('cookie')
  })

  it('keeps what only looks like ours', async () => {
    const cookie = 'my_runyard_session=1; runyard_sessions=2; runyard=3'
    expect((await sent({ cookie })).cookie).toBe(cookie)
  })
})

describe('an agent’s answer', () => {
  const answer = async (headers: Record<string, string | string[]>) => {
    await world.serveAgent((_, res) => res.writeHead(200, headers).end('x'))
    return fetch(`${world.url}/agents/agent/x`, withKey)
  }

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/plain'])(
    'stands in a sandbox when it is %s',
    async (type) => {
      const { headers } = await answer({ 'content-type': type })
      expect(headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts /)
      expect(headers.get('content-security-policy')).not.toContain('allow-same-origin')
    },
  )

  it('stands in one when it does not say what it is, and beside a policy of its own', async () => {
    expect((await answer({})).headers.get('content-security-policy')).toMatch(/^sandbox /)
    const own = { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'" }
    const policy = (await answer(own)).headers.get('content-security-policy')
    expect(policy).toMatch(/^script-src 'self', sandbox /)
  })

  it.each(['application/json, text/html', 'application/json;a,text/html', 'application/json-seq'])(
    'stands in one when its type only begins as that of data: %s',
    async (type) => {
      const { headers } = await answer({ 'content-type': type })
      expect(headers.get('content-security-policy')).toMatch(/^sandbox /)
    },
  )

  it('stands in one when it names a second type', async () => {
    const types = ['content-type', 'application/json', 'content-type', 'text/html']
    await world.serveAgent((_, res) => res.writeHead(200, types).end('x'))
    const { headers } = await fetch(`${world.url}/agents/agent/x`, withKey)
    expect(headers.get('content-security-policy')).toMatch(/^sandbox /)
  })

  it.each(['application/json', 'text/event-stream', 'application/json; charset=utf-8'])(
    'is left alone when it is %s',
    async (type) => {
      const { headers } = await answer({ 'content-type': type })
      expect(headers.has('content-security-policy')).toBe(false)
    },
  )

  it('says nothing of the origin, and sets none of our cookies', async () => {
    const { headers } = await answer({
      'clear-site-data': '"*"',
      'service-worker-allowed': '/',
      'alt-svc': 'h3=":443"',
      nel: '{}',
      'secure-session-registration': '(ES256);path="/x"',
      'sec-session-challenge': '"x"',
      'speculation-rules': '"/agents/agent/rules"',
      'set-cookie': [
        'runyard_session_8124=mine; Path=/',
        ' __Host-runyard_session=mine; Path=/',
        '=runyard_session_8124=mine; Path=/',
        'theirs=1; Path=/',
      ],
      'x-theirs': '1',
    })
    expect(headers.getSetCookie()).toEqual(['theirs=1; Path=/agents/agent'])
    expect(headers.get('x-theirs')).toBe('1')
    for (const name of [
      ...['clear-site-data', 'service-worker-allowed', 'alt-svc', 'nel'],
      ...['secure-session-registration', 'sec-session-challenge', 'speculation-rules'],
    ]) {
      expect([name, headers.has(name)]).toEqual([name, false])
    }
  })

  it('has an origin of its own below a domain, where nothing of this is needed', async () => {
    const cookies = ['a=1; Path=/x', 'b=2; Domain=example.test', 'c=3; Domain=agent.example.test']
    const html = { 'content-type': 'text/html', 'clear-site-data': '"*"', 'set-cookie': cookies }
    await world.serveAgent((_, res) => res.writeHead(200, html).end('x'))
    const headers = await new Promise<IncomingHttpHeaders>((resolve) => {
      const to = { headers: { ...withKey.headers, host: 'agent.example.test' } }
      http.get(`${world.url}/x`, to, (res) => resolve(res.resume().headers))
    })
    expect(headers['content-security-policy']).toBeUndefined()
    expect(headers['clear-site-data']).toBe('"*"')
    expect(headers['set-cookie']).toEqual(['a=1; Path=/x', 'b=2', 'c=3; Domain=agent.example.test'])
  })
})

describe('code of an agent', () => {
  const load = async (headers: Record<string, string>) => {
    await world.serveAgent((_, res) => res.end('alert(1)'))
    const response = await fetch(`${world.url}/agents/agent/ui/graph/entrypoint.js`, { headers })
    return { status: response.status, text: await response.text() }
  }
  const page = { cookie: OWN, 'sec-fetch-site': 'same-origin' }

  it.each(['script', 'worker', 'sharedworker', 'serviceworker'])(
    'is not handed to a page of ours that would run it: %s',
    async (dest) => {
      const { status, text } = await load({ ...page, 'sec-fetch-dest': dest })
      expect([status, text]).toEqual([403, expect.stringContaining('sandbox')])
    },
  )

  it('is handed to a sandbox, to pages elsewhere, and to programs', async () => {
    const sandbox = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' }
    expect((await load(sandbox)).status).toBe(200)
    const elsewhere = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' }
    expect((await load(elsewhere)).status).toBe(200)
    expect((await load({ ...page, 'sec-fetch-dest': 'empty' })).status).toBe(200)
    expect((await load({})).status).toBe(200)
  })
})
