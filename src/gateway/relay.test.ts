/** A gateway that follows, in front of one that leads. */
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { CERTIFICATE } from '../../test/support/gateway/certificate.ts'
import {
  authenticate,
  echo,
  KEY,
  openWorld,
  type World,
  withKey,
} from '../../test/support/gateway/gateway-world.ts'
import { silentLog } from '../core/log.ts'
import { Gateway } from './gateway.ts'

let leading: World
let following: Gateway
let leader: { url: string | undefined } | undefined
let url: string

beforeEach(async () => {
  leading = await openWorld()
  leader = { url: leading.url }
  following = new Gateway({
    authenticate,
    fallback: (req, res) =>
      void text(req).then((body) => res.end(`the follower: ${req.url} ${body}`)),
    leader: () => leader,
    log: silentLog,
  })
  url = await following.start({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await following.stop()
  await leading.close()
})

test('passes requests on with their bodies, and tells where they came from', async () => {
  await leading.serveAgent(echo)
  const body = 'x'.repeat(100_000)
  const response = await fetch(`${url}/agents/agent/runs?a=%20b`, {
    ...withKey,
    method: 'POST',
    body,
  })
  const seen = (await response.json()) as { headers: object }
  expect(seen).toMatchObject({ method: 'POST', url: '/runs?a=%20b', body })
  expect(seen.headers).toMatchObject({
    host: new URL(url).host,
    'x-forwarded-host': new URL(url).host,
    'x-forwarded-for': '127.0.0.1, 127.0.0.1',
  })
  expect(seen.headers).not.toHaveProperty('x-runyard-relayed')
})

test('passes everything else on as well, and refusals back', async () => {
  expect(await (await fetch(`${url}/v2/deployments`)).text()).toBe('control plane: /v2/deployments')
  await leading.serveAgent(echo)
  expect((await fetch(`${url}/agents/agent/threads`)).status).toBe(401)
})

test('tells a client that waits for it to send its body, and breaks off with the leader', async () => {
  const agent = await leading.serveAgent(echo)
  const headers = { 'x-api-key': KEY, expect: '100-continue' }
  const asked = http.request(`${url}/agents/agent/runs`, { method: 'POST', headers })
  asked.flushHeaders()
  await once(asked, 'continue')
  asked.end('a body')
  const [answer] = await once(asked, 'response')
  expect(JSON.parse(await text(answer))).toMatchObject({ body: 'a body' })
  agent.server.removeAllListeners('request')
  agent.server.on('request', (_req, res) => res.write('a beginning'))
  const cut = await fetch(`${url}/agents/agent/stream`, withKey)
  agent.kill()
  await expect(cut.text()).rejects.toThrow()
})

test('passes requests on to a leader that speaks TLS', async () => {
  const known = getCACertificates('default')
  setDefaultCACertificates([...known, String(CERTIFICATE.cert)])
  const secure = await openWorld({ certificate: CERTIFICATE })
  try {
    leader = { url: secure.url.replace('127.0.0.1', 'localhost') }
    await secure.serveAgent(echo)
    const response = await fetch(`${url}/agents/agent/runs`, {
      ...withKey,
      method: 'POST',
      body: 'x',
    })
    expect(await response.json()).toMatchObject({ url: '/runs', body: 'x' })
  } finally {
    setDefaultCACertificates(known)
    await secure.close()
  }
})

test('carries WebSockets', async () => {
  const sockets = new WebSocketServer({ noServer: true })
  const agent = await leading.serveAgent(echo)
  agent.server.on('upgrade', (req, socket, head) => {
    sockets.handleUpgrade(req, socket, head, (client) => {
      client.on('message', (data) => client.send(`heard ${data}`))
    })
  })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/agents/agent/x`, {
    headers: { 'x-api-key': KEY },
  })
  await once(socket, 'open')
  socket.send('hello')
  const [answer] = await once(socket, 'message')
  expect(String(answer)).toBe('heard hello')
  socket.close()
  await once(socket, 'close')
})

test.each([undefined, 'http://127.0.0.1:1'])(
  'without a leader (%s) agents answer 503, and the rest is answered here',
  async (address) => {
    leader = { url: address }
    const refused = await fetch(`${url}/agents/agent/threads`, withKey)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    const answered = await fetch(`${url}/ok`, { method: 'POST', body: 'a body' })
    expect(await answered.text()).toBe('the follower: /ok a body')
  },
)

test('what was passed on to a leader that never answers is answered when this one leads', async () => {
  const arrived = Promise.withResolvers<void>()
  await leading.serveAgent(() => arrived.resolve())
  const asked = fetch(`${url}/agents/agent/threads`, { ...withKey, method: 'POST' })
  await arrived.promise
  leader = undefined
  following.takeOver()
  expect((await asked).status).toBe(503)
})

test('refuses what can be passed on to nobody, and does not answer it in place of the leader', async () => {
  const { hostname, port } = new URL(url)
  const asked = http.request({ hostname, port, method: 'OPTIONS', path: '*' }).end()
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(400)
  expect(JSON.parse(await text(answer)).detail).toContain('cannot be passed on')
})

test('passes on nothing that was passed on to it', async () => {
  const headers = { 'x-runyard-relayed': '1' }
  expect(await (await fetch(`${url}/ok`, { headers })).text()).toBe('the follower: /ok ')
})
