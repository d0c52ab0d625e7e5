/** Which credentials of its callers an agent sees. */
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  type Agent,
  authenticate,
  echo,
  KEY,
  OTHER_KEY,
  openWorld,
  type World,
} from '../../test/support/gateway/gateway-world.ts'
import { newKey } from '../core/people/api-key.ts'

let world: World
let agent: Agent

beforeEach(async () => {
  world = await openWorld()
  agent = await world.serveAgent(echo)
})
afterEach(() => world.close())

/** What the agent sees of these headers. */
async function seen(headers: Record<string, string>, path = '/threads') {
  const response = await fetch(`${world.url}/agents/agent${path}`, { headers })
  expect(response.status).toBe(200)
  const { headers: all } = (await response.json()) as { headers: Record<string, string> }
  const { 'x-api-key': apiKey, authorization, 'x-runyard-caller': caller } = all
  return { apiKey, authorization, caller }
}

function serve(more: object): void {
  const [endpoint] = agent.target.endpoints
  world.gateway.targets.set('agent', { ...agent.target, endpoints: [{ ...endpoint, ...more }] })
}

const bearer = (key: string) => `Bearer ${key}`

describe('the key that lets a request in', () => {
  it('stays at the gateway, which says who it belongs to', async () => {
    expect(await seen({ 'x-api-key': KEY })).toEqual({ caller: 'u' })
    expect(await seen({ authorization: bearer(KEY) })).toEqual({ caller: 'u' })
  })

  it('stays there in both forms, and with another key of ours', async () => {
    const both = { 'x-api-key': KEY, authorization: bearer(KEY) }
    expect(await seen(both)).toEqual({ caller: 'u' })
    const another = { 'x-api-key': KEY, authorization: bearer(newKey()) }
    expect(await seen(another)).toEqual({ caller: 'u' })
  })

  it('does not take a token of the client’s own along', async () => {
    const sent = { 'x-api-key': KEY, authorization: bearer('theirs') }
    expect(await seen(sent)).toEqual({ authorization: bearer('theirs'), caller: 'u' })
    const basic = { 'x-api-key': KEY, authorization: 'Basic dTpw' }
    expect(await seen(basic)).toMatchObject({ authorization: 'Basic dTpw' })
  })

  it.each(['/ok', '/info', '/ui/agent/entry.js'])(
    'stays there where none is needed: %s',
    async (path) => {
      expect(await seen({ 'x-api-key': KEY, authorization: bearer(KEY) }, path)).toEqual({})
    },
  )

  it('stays there for a WebSocket', async () => {
    const sockets = new WebSocketServer({ server: agent.server })
    sockets.on('connection', (socket, { headers }) => socket.send(JSON.stringify(headers)))
    const headers = { 'x-api-key': KEY }
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/agents/agent/x`, { headers })
    const [message] = await once(socket, 'message')
    expect(JSON.parse(String(message))).not.toHaveProperty('x-api-key')
    socket.terminate()
  })

  it('goes on to a project that asks for it', async () => {
    serve({ forwardsApiKey: true })
    expect(await seen({ 'x-api-key': KEY })).toEqual({ apiKey: KEY, caller: 'u' })
  })

  it('goes on to a project with an auth of its own', async () => {
    serve({ hasOwnAuth: true })
    expect(await seen({ 'x-api-key': KEY })).toEqual({ apiKey: KEY })
    expect(await seen({ 'x-api-key': KEY }, '/info')).toEqual({ apiKey: KEY })
  })

  it('goes on where the server behind the gateway checks it', async () => {
    await world.close()
    world = await openWorld({ isKeyChecked: false })
    agent = await world.serveAgent(echo)
    expect(await seen({ 'x-api-key': KEY })).toEqual({ apiKey: KEY, caller: 'u' })
  })
})

describe('at a public deployment', () => {
  beforeEach(() => world.gateway.targets.enter('agent', { isPublic: true, hosts: [] }))

  it.each([KEY, OTHER_KEY])('a key of ours stays at the gateway: %s', async (key) => {
    await expect(authenticate(new Headers({ 'x-api-key': key }))).resolves.toBeDefined()
    expect(await seen({ 'x-api-key': key })).toEqual({})
    expect(await seen({ 'x-api-key': key, authorization: bearer(key) })).toEqual({})
  })

  it('a key of ours stays there when the next revision has no auth of its own', async () => {
    const { targets } = world.gateway
    serve({ hasOwnAuth: true })
    targets.hold('agent', { ...agent.target, limitMs: 60_000 })
    const waiting = seen({ 'x-api-key': KEY })
    await expect.poll(() => targets.activity('agent').open).toBe(1)
    serve({})
    expect(await waiting).toEqual({})
  })

  it('a key that is none of ours is the project’s', async () => {
    expect(await seen({ 'x-api-key': 'theirs' })).toEqual({ apiKey: 'theirs' })
    expect(await seen({ authorization: bearer('theirs') })).toEqual({
      authorization: bearer('theirs'),
    })
  })
})
