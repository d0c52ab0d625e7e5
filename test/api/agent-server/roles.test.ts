/** What each role may do at an agent, through the gateway: every operation of the document. */
import { randomUUID } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { AppError } from '../../../src/core/errors.ts'
import { silentLog } from '../../../src/core/log.ts'
import { AGENT_ACCESS } from '../../../src/core/people/agent-access.ts'
import { DEFAULT_WORKSPACE_ID, ROLES, type Role } from '../../../src/core/people/api-key.ts'
import { Gateway } from '../../../src/gateway/gateway.ts'
import { nameOf, type Operation, operationsOf, readDocument } from '../../contract/document.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { SocketClient } from '../../support/agent/protocol-client.ts'

const TOKEN = 'the-token'
let plain: RunningAgentServer
let routed: RunningAgentServer
let owned: RunningAgentServer
let gateway: Gateway
let url: string

beforeAll(async () => {
  plain = await startAgentServer({ gatewayToken: TOKEN })
  routed = await startAgentServer({ gatewayToken: TOKEN, projectName: 'routes' })
  owned = await startAgentServer({ gatewayToken: TOKEN, projectName: 'owned' })
  gateway = new Gateway({
    // A key is its role's name.
    async authenticate(headers) {
      const role = ROLES.find((one) => one === headers.get('x-api-key'))
      if (!role) throw new AppError('unauthenticated', 'No key.')
      const whose = { user_id: role, name: role, kind: 'api_key' } as const
      return { ...whose, role, workspace_id: DEFAULT_WORKSPACE_ID }
    },
    fallback: (_, res) => res.writeHead(404).end(),
    log: silentLog,
  })
  serve('plain', plain)
  serve('routed', routed)
  serve('owned', owned, { hasOwnAuth: true })
  serve('older', plain, { checksRoles: false })
  url = `${await gateway.start({ host: '127.0.0.1', port: 0 })}/agents`
})

afterAll(async () => {
  await gateway.stop()
  for (const one of [plain, routed, owned]) await one.stop()
})

function serve(name: string, agent: RunningAgentServer, traits: object = {}): void {
  const endpoint = { url: agent.url, token: TOKEN, checksRoles: true, ...traits }
  gateway.targets.set(name, {
    ...{ deployment_id: name, workspace_id: DEFAULT_WORKSPACE_ID, revision_id: name },
    endpoints: [endpoint],
  })
}

async function ask(
  role: Role,
  method: string,
  path: string,
  { body, headers = {}, name = 'plain' }: { body?: object; headers?: object; name?: string } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/${name}${path}`, {
    method,
    headers: { 'x-api-key': role, 'content-type': 'application/json', ...headers },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  return { status: response.status, text: await response.text() }
}

/** Ids of nothing: what is let in finds nothing, or misses fields. */
const filled = (path: string) =>
  path.replace(/\{\w*name\w*\}/g, 'x').replace(/\{\w+\}/g, randomUUID())

const needOf = (operation: Operation) => AGENT_ACCESS[nameOf(operation)]
/** Those that take several kinds of messages are asked below. */
const OPERATIONS = operationsOf(readDocument('agent-server')).filter(
  (one) => needOf(one) !== 'message',
)

describe.each(OPERATIONS)('$method $path', (operation) => {
  const need = needOf(operation)

  test.each(ROLES)('is decided for the role %s', async (role) => {
    const { status, text } = await ask(role, operation.method, filled(operation.path))
    if (need === 'talk' && role === 'viewer') {
      expect([status, text]).toEqual([403, expect.stringContaining('only looks at agents')])
    } else {
      expect([401, 403]).not.toContain(status)
    }
  })
})

const INPUT = { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'hi' }] } }

test('a viewer sees a conversation, and neither leads nor ends it', async () => {
  const clients = { agent: client('agent'), viewer: client('viewer') }
  const { thread_id } = await clients.agent.threads.create()
  const run = await clients.agent.runs.create(thread_id, 'agent', INPUT)
  await clients.viewer.runs.join(thread_id, run.run_id)
  const state = await clients.viewer.threads.getState(thread_id)
  expect(JSON.stringify(state.values)).toContain('hi')
  for (const attempt of [
    () => clients.viewer.runs.wait(thread_id, 'agent', INPUT),
    () => clients.viewer.threads.update(thread_id, { metadata: { x: 1 } }),
    () => clients.viewer.threads.delete(thread_id),
    () => clients.viewer.runs.cancel(thread_id, run.run_id),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ status: 403 })
  }
  expect((await clients.agent.threads.get(thread_id)).metadata).not.toHaveProperty('x')
})

const client = (role: Role) =>
  new Client({ apiUrl: `${url}/plain`, apiKey: role, callerOptions: { maxRetries: 0 } })

test('a viewer follows a run, and does not end it by leaving', async () => {
  const { thread_id } = await client('agent').threads.create()
  const { run_id } = await client('agent').runs.create(thread_id, 'agent', INPUT)
  for (const way of ['join', 'stream']) {
    const path = `/threads/${thread_id}/runs/${run_id}/${way}`
    expect((await ask('viewer', 'GET', path)).status).toBe(200)
    const leaving = await ask('viewer', 'GET', `${path}?cancel_on_disconnect=1`)
    expect([leaving.status, leaving.text]).toEqual([403, expect.stringContaining('only looks')])
    expect((await ask('agent', 'GET', `${path}?cancel_on_disconnect=1`)).status).toBe(200)
  }
})

describe('messages', () => {
  const mcp = { accept: 'application/json, text/event-stream' }
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

  test.each([
    ['state.get', true],
    ['state.listCheckpoints', true],
    ['agent.getTree', true],
    ['run.start', false],
    ['input.respond', false],
    ['input.inject', false],
    ['state.fork', false],
    ['some.later', false],
  ])('of a thread: %s, to a viewer: %s', async (method, isLook) => {
    const path = `/threads/${randomUUID()}/commands`
    const { text } = await ask('viewer', 'POST', path, { body: { id: 1, method } })
    expect(text.includes('only looks at agents')).toBe(!isLook)
    const others = await ask('agent', 'POST', path, { body: { id: 1, method } })
    expect(others.text).not.toContain('only looks')
  })

  it('over a WebSocket are decided in the same way', async () => {
    const socket = new SocketClient(`${url}/plain`, randomUUID(), { 'x-api-key': 'viewer' })
    const subscribed = await socket.send('subscription.subscribe', { channels: ['lifecycle'] })
    expect(subscribed).toMatchObject({ type: 'success' })
    const refused = await socket.send('run.start', INPUT)
    expect(refused).toMatchObject({ type: 'error', error: 'permission_denied' })
    socket.close()
  })

  test.each([
    ['initialize', true],
    ['ping', true],
    ['server/discover', true],
    ['subscriptions/listen', true],
    ['tools/list', true],
    ['tools/call', false],
  ])('of MCP: %s, to a viewer: %s', async (method, isLook) => {
    const { status } = await ask('viewer', 'POST', '/mcp', { body: rpc(method), headers: mcp })
    expect(status).toBe(isLook ? 200 : 403)
    const batch = [rpc('ping'), rpc(method)]
    const both = await ask('viewer', 'POST', '/mcp', { body: batch, headers: mcp })
    if (!isLook) expect(both.status).toBe(403)
    expect((await ask('agent', 'POST', '/mcp', { body: rpc(method), headers: mcp })).status).toBe(
      200,
    )
  })

  test.each([
    ['tasks/get', true],
    ['ListTasks', true],
    ['agent/getAuthenticatedExtendedCard', true],
    ['message/send', false],
    ['SendStreamingMessage', false],
    ['tasks/cancel', false],
    ['tasks/pushNotificationConfig/set', false],
    ['tasks/pushNotificationConfig/get', false],
  ])('of A2A: %s, to a viewer: %s', async (method, isLook) => {
    const { status } = await ask('viewer', 'POST', '/a2a/agent', { body: rpc(method) })
    expect(status).toBe(isLook ? 200 : 403)
    expect((await ask('agent', 'POST', '/a2a/agent', { body: rpc(method) })).status).toBe(200)
  })
})

describe('a project', () => {
  it('has routes of its own that are to talk, and middleware around what looks', async () => {
    const name = 'routed'
    expect((await ask('viewer', 'GET', '/hello', { name })).status).toBe(403)
    expect((await ask('agent', 'GET', '/hello', { name })).status).not.toBe(403)
    expect((await ask('viewer', 'POST', '/threads/search', { name })).status).toBe(200)
    expect((await ask('viewer', 'POST', '/threads', { name })).status).toBe(403)
  })

  it('with an auth of its own decides by itself, but for the Studio', async () => {
    const name = 'owned'
    const asStudio = { 'x-auth-scheme': 'langsmith' }
    const decided = await ask('viewer', 'POST', '/threads', { name })
    expect(decided.text).not.toContain('only looks')
    const studio = await ask('viewer', 'POST', '/threads', { name, headers: asStudio })
    expect([studio.status, studio.text]).toEqual([403, expect.stringContaining('only looks')])
    const looks = await ask('viewer', 'POST', '/threads/search', { name, headers: asStudio })
    expect(looks.status).toBe(200)
  })

  it('on an agent server that knows no roles is read only, by those who look', async () => {
    const name = 'older'
    expect((await ask('viewer', 'GET', '/assistants/agent', { name })).status).toBe(200)
    expect((await ask('viewer', 'POST', '/threads/search', { name })).status).toBe(403)
    expect((await ask('agent', 'POST', '/threads/search', { name })).status).toBe(200)
  })
})
