/** Public deployments: called without a key, by anybody but those who say to be Studio. */
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  type Agent,
  OTHER_KEY,
  openWorld,
  type World,
  withKey,
} from '../../test/support/gateway/gateway-world.ts'

const PUBLIC = { isPublic: true, hosts: [] }
const CLOSED = { isPublic: false, hosts: [] }

let world: World
let agent: Agent

beforeEach(async () => {
  world = await openWorld()
  agent = await world.serveAgent((req, res) => res.end(req.headers['x-runyard-caller'] ?? 'nobody'))
  world.gateway.targets.enter('agent', PUBLIC)
})
afterEach(() => world.close())

const ask = (headers: Record<string, string> = {}, path = '/threads') =>
  fetch(`${world.url}/agents/agent${path}`, { headers })
const status = async (headers?: Record<string, string>) => (await ask(headers)).status

it('is called without a key, and with any', async () => {
  expect(await (await ask()).text()).toBe('nobody')
  for (const key of ['unknown', OTHER_KEY]) expect(await status({ 'x-api-key': key })).toBe(200)
})

it('asks those for a key who say to be Studio', async () => {
  expect(await status({ 'x-auth-scheme': 'langsmith' })).toBe(401)
  expect(await status({ 'x-auth-scheme': 'langsmith', ...withKey.headers })).toBe(200)
})

it('tells its agent server who asks for what operators ask', async () => {
  const callerOf = async (path: string, headers?: Record<string, string>) =>
    (await ask(headers, path)).text()
  for (const path of ['/metrics', '/webhooks/deliveries?limit=1', '/below/webhooks/deliveries/1']) {
    expect(await callerOf(path, withKey.headers)).not.toBe('nobody')
    expect(await callerOf(path)).toBe('nobody')
    for (const key of ['unknown', OTHER_KEY]) {
      expect(await callerOf(path, { 'x-api-key': key })).toBe('nobody')
    }
  }
  expect(await callerOf('/threads', withKey.headers)).toBe('nobody')
})

it('takes WebSockets without a key', async () => {
  const sockets = new WebSocketServer({ server: agent.server })
  sockets.on('connection', (socket) => socket.send('hello'))
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/agents/agent/x`)
  const [message] = await once(socket, 'message')
  expect(String(message)).toBe('hello')
  socket.terminate()
})

it('stays so over a rollout, a hold and a pause, and until it is told otherwise', async () => {
  const { target } = agent
  world.gateway.targets.pause('agent', target)
  expect(await status()).toBe(503)
  const next = await world.startAgent('revision-2', (_req, res) => res.end('next'))
  world.gateway.targets.set('agent', next.target)
  expect(await (await ask()).text()).toBe('next')
  world.gateway.targets.enter('agent', CLOSED)
  expect(await status()).toBe(401)
  expect(await status(withKey.headers)).toBe(200)
})

it('is not what takes its name after it', async () => {
  world.gateway.targets.remove('agent')
  world.gateway.targets.set('agent', agent.target)
  expect(await status()).toBe(401)
})

it('may be told before the name is there', async () => {
  world.gateway.targets.enter('later', PUBLIC)
  expect((await fetch(`${world.url}/agents/later/threads`)).status).toBe(404)
  world.gateway.targets.set('later', agent.target)
  expect((await fetch(`${world.url}/agents/later/threads`)).status).toBe(200)
})

it('refuses those who still wait for it when it is made private', async () => {
  const { promise: waits, resolve: onRequest } = Promise.withResolvers<void>()
  world.gateway.targets.hold('agent', { ...agent.target, limitMs: 60_000, onRequest })
  const answer = status()
  await waits
  world.gateway.targets.enter('agent', CLOSED)
  world.gateway.targets.set('agent', agent.target)
  expect(await answer).toBe(401)
})

it('is woken by anybody, but not by a look at whether it is well, nor by a preflight', async () => {
  let wakings = 0
  const onRequest = () => {
    wakings += 1
    setImmediate(() => world.gateway.targets.set('agent', agent.target))
  }
  const hold = { ...agent.target, limitMs: 60_000, onRequest, hasOwnAuth: false }
  world.gateway.targets.hold('agent', hold)
  expect(await (await ask({}, '/ok')).json()).toEqual({ ok: true, asleep: true })
  const preflight = await fetch(`${world.url}/agents/agent/threads`, {
    method: 'OPTIONS',
    headers: { origin: 'http://app.test', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  expect(wakings).toBe(0)
  expect((await ask({}, '/info')).status).toBe(200)
  expect(wakings).toBe(1)
})

it('is kept awake by anybody', async () => {
  const { last_at } = world.gateway.targets.activity('agent')
  await expect.poll(() => Date.now()).toBeGreaterThan(last_at)
  expect(await status()).toBe(200)
  await expect.poll(() => world.gateway.targets.activity('agent').last_at).toBeGreaterThan(last_at)
})
