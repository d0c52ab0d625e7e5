import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { AppError } from '../../../src/core/errors.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent-server.ts'
import { eventually } from '../../support/eventually.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }

/** Everyone owns what they make and sees nothing else; `guest` may not run anything. */
const byOwner: Authorize = async (caller, event, value) => {
  const owner = caller.headers['x-user'] ?? ''
  if (owner === 'guest' && event.action === 'create_run') {
    throw new AppError('forbidden', 'Guests may not run agents.')
  }
  if (event.action === 'create') Object.assign(value.metadata as object, { owner })
  return event.resource === 'assistants' && owner !== '' ? { owner } : undefined
}

let lastMoment = 0
/** No two moments are the same: what is made after another is younger, however quick it is. */
const clock = {
  now: () => {
    lastMoment = Math.max(Date.now(), lastMoment + 1)
    return lastMoment
  },
}

let server: RunningAgentServer
let client: Client

beforeAll(async () => {
  server = await startAgentServer({ authorize: byOwner, clock })
  client = await connect()
})
afterAll(async () => {
  await client.close()
  await server.stop()
})

async function connect(
  headers: Record<string, string> = {},
  url = `${server.url}/mcp`,
): Promise<Client> {
  const one = new Client({ name: 'test', version: '1' })
  const requestInit = { headers }
  await one.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return one
}

function call(name: string, args: object, options = {}): Promise<CallToolResult> {
  const request = { name, arguments: { ...args } }
  return client.callTool(request, undefined, options) as Promise<CallToolResult>
}

function post(body: string, headers: Record<string, string> = ACCEPT): Promise<Response> {
  return fetch(`${server.url}/mcp/`, { method: 'POST', headers, body })
}

function textOf({ content }: CallToolResult): string[] {
  return content.map((one) => (one.type === 'text' ? one.text : one.type))
}

describe('the list of tools', () => {
  it('has each assistant, its description and the schema of its input', async () => {
    const { tools } = await client.listTools()
    const names = ['agent', 'slow', 'fail', 'ask', 'parent', 'tools']
    expect(tools.slice(0, 6).map(({ name }) => name)).toEqual(names)
    expect(tools.find(({ name }) => name === 'ask')).toMatchObject({
      description: 'Asks before it goes on',
      inputSchema: { type: 'object', properties: { question: { type: 'string' } } },
    })
  })

  it('gives names that are valid and unique, and the caller only what it may see', async () => {
    const { assistants } = server.client
    const first = await assistants.create({ graphId: 'ask', name: 'Frage & Antwort' })
    const second = await assistants.create({ graphId: 'ask', name: 'Frage / Antwort' })
    const third = await assistants.create({ graphId: 'agent', name: 'agent' })
    const { tools } = await client.listTools()
    expect(tools.slice(6).map(({ name, title }) => [name, title])).toEqual([
      ['Frage_Antwort', first.name],
      [`Frage_Antwort_${second.assistant_id.slice(0, 8)}`, second.name],
      [`agent_${third.assistant_id.slice(0, 8)}`, 'agent'],
    ])
    const alice = await connect({ 'x-user': 'alice' })
    expect((await alice.listTools()).tools).toEqual([])
    await expect(alice.callTool({ name: 'Frage_Antwort' })).rejects.toThrow('There is no tool')
    await alice.close()
    for (const { assistant_id } of [first, second, third]) await assistants.delete(assistant_id)
  })

  it('is answered page by page', async () => {
    const carol = { 'x-user': 'carol', 'content-type': 'application/json' }
    for (let made = 0; made < 101; made += 1) {
      const body = JSON.stringify({ graph_id: 'agent', name: `one ${made}` })
      await fetch(`${server.url}/assistants`, { method: 'POST', headers: carol, body })
    }
    const hers = await connect({ 'x-user': 'carol' })
    const page = await hers.listTools()
    expect(page.tools).toHaveLength(100)
    const { nextCursor = '' } = page
    expect((await hers.listTools({ cursor: nextCursor })).tools).toMatchObject([
      { name: 'one_100' },
    ])
    await expect(hers.listTools({ cursor: 'x' })).rejects.toThrow('cursor')
    await hers.close()
  })
})

describe('a call', () => {
  it('runs the assistant and answers its values, as text and structured', async () => {
    const answer = await call('agent', { messages: [{ role: 'user', content: 'hello' }] })
    const messages = [{ type: 'human' }, { type: 'ai', content: 'echo: hello' }]
    expect(answer.structuredContent).toMatchObject({ messages })
    expect(answer.isError).toBeUndefined()
    expect(JSON.parse(textOf(answer)[0] ?? '')).toEqual(answer.structuredContent)
  })

  it('tells each step to a client that wants to know', async () => {
    const steps: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string }) => steps.push(message)
    const answer = await call('slow', { count: 2, ms: 1 }, { onprogress })
    expect(answer.structuredContent).toMatchObject({ done: 2 })
    expect(steps).toEqual(['begin', 'step', 'step'])
  })

  it('says that a run failed, asks or may not be', async () => {
    expect(await call('fail', { reason: 'no luck' })).toEqual({
      content: [{ type: 'text', text: 'RangeError: no luck' }],
      isError: true,
    })
    const asking = await call('ask', { question: 'why?' })
    expect(asking).toMatchObject({
      isError: true,
      structuredContent: { __interrupt__: [{ value: { question: 'why?' } }] },
    })
    expect(textOf(asking)[0]).toContain('stopped to ask')
    const guest = await connect({ 'x-user': 'guest' })
    await expect(guest.callTool({ name: 'agent' })).rejects.toThrow('There is no tool')
    await guest.close()
  })

  it('says that the graph stopped at a breakpoint of its own', async () => {
    const other = await startAgentServer({ projectName: 'runs', configName: 'paused.json' })
    const its = await connect({}, `${other.url}/mcp`)
    const answer = await its.callTool({ name: 'paused', arguments: {} })
    expect(answer).toMatchObject({ isError: true, structuredContent: { at: 'first' } })
    expect(textOf(answer as CallToolResult)[0]).toContain('at a breakpoint before "second"')
    await its.close()
    await other.stop()
  })

  it('is refused for a tool that is not there', async () => {
    await expect(call('nothing', {})).rejects.toMatchObject({ code: -32602 })
  })

  it.each([true, false])('is cancelled when its client leaves (progress: %s)', async (isStream) => {
    const left = new AbortController()
    const params = {
      name: 'slow',
      arguments: { count: 1, ms: 600_000 },
      ...(isStream && { _meta: { progressToken: 1 } }),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { signal } = left
    await fetch(`${server.url}/mcp`, { method: 'POST', headers: ACCEPT, body, signal })
    const running = () => server.store.runs.listWithStatus(['running'], { after: 0, limit: 9 })
    await eventually(async () => (await running()).length).toBe(1)
    const [run] = await running()
    left.abort()
    await eventually(async () => (await server.store.runs.get(run?.run_id ?? ''))?.status).toBe(
      'interrupted',
    )
  })
})

describe('the transport', () => {
  it('answers a ping, at either address', async () => {
    const other = await connect({}, `${server.url}/mcp/`)
    expect(await other.ping()).toEqual({})
    expect(other.getServerVersion()).toMatchObject({ name: 'runyard' })
    await other.close()
  })

  it('answers JSON, and nothing to notifications', async () => {
    const ping = await post('{"jsonrpc":"2.0","id":"p","method":"ping"}')
    expect(ping.headers.get('content-type')).toBe('application/json')
    expect(await ping.json()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    const noted = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([noted.status, await noted.text()]).toEqual([202, ''])
    const unknown = await post('{"jsonrpc":"2.0","id":1,"method":"nope"}')
    expect(await unknown.json()).toMatchObject({ error: { code: -32601 } })
  })

  it('refuses what is no message, and other methods, in words of JSON-RPC', async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const refused: [Promise<Response>, number, number][] = [
      [post('{'), 400, -32700],
      [post('[]'), 400, -32600],
      [post('{"id":1}'), 400, -32600],
      [post(ping, { accept: 'application/json' }), 400, -32000],
      [post(ping, { ...ACCEPT, 'mcp-protocol-version': 'x' }), 400, -32000],
      [fetch(`${server.url}/mcp`), 405, -32000],
      [fetch(`${server.url}/mcp`, { method: 'DELETE' }), 404, -32000],
    ]
    for (const [asked, status, code] of refused) {
      const response = await asked
      expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    }
  })
})
