import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type ListToolsResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { AppError } from '../../../src/core/errors.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }
/** The first version without a handshake. */
const MODERN = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
}

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

const server = forAllTests(() => startAgentServer({ authorize: byOwner, clock }))
const client = forAllTests(connect)

async function connect(
  headers: Record<string, string> = {},
  url = `${server.url}/mcp`,
  options: ClientOptions = {},
): Promise<Client> {
  const one = new Client({ name: 'test', version: '1' }, options)
  const requestInit = { headers }
  await one.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return one
}

function call(name: string, args: object, options = {}): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { ...args } }, options)
}

function post(body: string, headers: Record<string, string> = ACCEPT): Promise<Response> {
  return fetch(`${server.url}/mcp/`, { method: 'POST', headers, body })
}

/** A request of `MODERN`, with the headers that it needs; `undefined` takes one away. */
function ask(
  method: string,
  params: object = {},
  headers: Record<string, string | undefined> = {},
): Promise<Response> {
  const { name } = params as { name?: string }
  const all = {
    ...{ ...ACCEPT, 'mcp-protocol-version': MODERN, 'mcp-method': method },
    ...(name !== undefined && { 'mcp-name': name }),
    ...headers,
  }
  const sent = Object.entries(all).filter(([, value]) => value !== undefined)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { _meta: META, ...params } })
  return post(body, Object.fromEntries(sent) as Record<string, string>)
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
    const made: string[] = []
    while (made.length < 101) {
      const body = JSON.stringify({ graph_id: 'agent', name: `one ${made.length}` })
      const init = { method: 'POST', headers: carol, body }
      const answer = await fetch(`${server.url}/assistants`, init)
      made.push(((await answer.json()) as { assistant_id: string }).assistant_id)
    }
    const hers = await connect({ 'x-user': 'carol' })
    const pageAfter = async (params: object): Promise<ListToolsResult> =>
      JSON.parse(await (await ask('tools/list', params, { 'x-user': 'carol' })).text()).result
    const page = await pageAfter({})
    expect(page.tools).toHaveLength(100)
    const last = await pageAfter({ cursor: page.nextCursor })
    expect(last.tools).toMatchObject([{ name: 'one_100' }])
    expect(last).not.toHaveProperty('nextCursor')
    await expect(hers.listTools({ cursor: 'x' })).rejects.toThrow('cursor')
    await hers.close()
    await Promise.all(made.map((id) => server.client.assistants.delete(id)))
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

  it('says that a run failed or may not be', async () => {
    expect(await call('fail', { reason: 'no luck' })).toEqual({
      content: [{ type: 'text', text: 'RangeError: no luck' }],
      isError: true,
    })
    const guest = await connect({ 'x-user': 'guest' })
    await expect(guest.callTool({ name: 'agent' })).rejects.toThrow('There is no tool')
    await guest.close()
  })

  it('keeps the thread of a run that asks, and says how to resume it', async () => {
    const { threads } = server.client
    const before = await threads.count()
    await call('agent', { messages: [{ role: 'user', content: 'hello' }] })
    const asking = await call('ask', { question: 'why?' })
    expect(await threads.count()).toBe(before + 1)
    expect(asking).toMatchObject({
      isError: true,
      structuredContent: { __interrupt__: [{ value: { question: 'why?' } }] },
    })
    const thread_id = String(asking._meta?.['runyard/thread_id'])
    const [text = ''] = textOf(asking)
    const [, body = '', path = ''] = /send (\{.*\}) to POST (\S+) /.exec(text) ?? []
    expect(path).toBe(`/threads/${thread_id}/runs/wait`)
    const answer = body.replace('ANSWER', '"because"')
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: answer }
    const resumed = await fetch(`${server.url}${path}`, init)
    expect(await resumed.json()).toMatchObject({ question: 'why?', answer: 'because' })
    await threads.delete(thread_id)
  })

  it('says that the graph stopped at a breakpoint of its own', async () => {
    const other = await startAgentServer({ projectName: 'runs', configName: 'paused.json' })
    const its = await connect({}, `${other.url}/mcp`)
    const answer = await its.callTool({ name: 'paused', arguments: {} })
    expect(answer).toMatchObject({ isError: true, structuredContent: { at: 'first' } })
    expect(textOf(answer)[0]).toContain('at a breakpoint before "second"')
    const thread_id = String(answer._meta?.['runyard/thread_id'])
    const { runs } = other.client
    expect(await runs.wait(thread_id, 'paused', { input: null })).toMatchObject({ at: 'second' })
    await its.close()
    await other.stop()
  })

  it('is refused for a tool that is not there', async () => {
    await expect(call('nothing', {})).rejects.toMatchObject({ code: -32602 })
  })

  it.each([
    ['a handshake', {}, undefined],
    ['a handshake and progress', {}, { progressToken: 1 }],
    [
      MODERN,
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'slow' },
      META,
    ],
  ])('is cancelled when its client leaves, after %s', async (_, headers, _meta) => {
    const left = new AbortController()
    const params = { name: 'slow', arguments: { count: 1, ms: 600_000 }, _meta }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const init = { method: 'POST', headers: { ...ACCEPT, ...headers }, body, signal: left.signal }
    await fetch(`${server.url}/mcp`, init)
    const running = () => server.store.runs.listWithStatus(['running'], { after: 0, limit: 9 })
    await eventually(async () => (await running()).length).toBe(1)
    const [run] = await running()
    left.abort()
    await eventually(async () => (await server.store.runs.get(run?.run_id ?? ''))?.status).toBe(
      'interrupted',
    )
  })
})

describe('clients', () => {
  it.each<[string, ClientOptions, string]>([
    ['as they come', {}, '2025-11-25'],
    ['auto', { versionNegotiation: { mode: 'auto' } }, MODERN],
    ['pinned', { versionNegotiation: { mode: { pin: MODERN } } }, MODERN],
  ])('of today list and call, %s', async (_, options, version) => {
    const one = await connect({}, `${server.url}/mcp`, options)
    expect(one.getNegotiatedProtocolVersion()).toBe(version)
    expect(one.getServerVersion()).toMatchObject({ name: 'runyard' })
    const { tools } = await one.listTools()
    expect(tools.slice(0, 2)).toMatchObject([{ name: 'agent' }, { name: 'slow' }])
    const steps: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => steps.push(message)
    const answer = await one.callTool(
      { name: 'slow', arguments: { count: 1, ms: 1 } },
      { onprogress },
    )
    expect(answer.structuredContent).toMatchObject({ done: 1 })
    expect(steps).toEqual(['begin', 'step'])
    await expect(one.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
    await one.close()
  })

  it('of the older library list and call', async () => {
    const one = new OldClient({ name: 'test', version: '1' })
    await one.connect(new OldTransport(new URL(`${server.url}/mcp`)) as never)
    const { tools } = await one.listTools()
    expect(tools.slice(0, 2)).toMatchObject([{ name: 'agent' }, { name: 'slow' }])
    const answer = await one.callTool({ name: 'slow', arguments: { count: 1, ms: 1 } })
    expect(answer.structuredContent).toMatchObject({ done: 1 })
    await one.close()
  })
})

describe(`a request of ${MODERN}`, () => {
  const serverInfo = { name: 'runyard', version: expect.any(String) }
  const ends = {
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }
  const cached = { ttlMs: 0, cacheScope: 'private' }

  it('discovers the server, lists its tools, and calls one', async () => {
    const result = {
      ...{ ...ends, ...cached, supportedVersions: [MODERN], capabilities: { tools: {} } },
      instructions: expect.stringContaining('agent'),
    }
    expect(await (await ask('server/discover')).json()).toEqual({ jsonrpc: '2.0', id: 7, result })
    const lists = [await ask('tools/list'), await ask('tools/list')]
    const [first, second] = await Promise.all(lists.map((one) => one.json()))
    expect(first).toMatchObject({ result: { ...ends, ...cached } })
    expect(second).toEqual(first)
    const called = await ask('tools/call', { name: 'slow', arguments: { count: 1, ms: 1 } })
    expect(called.headers.get('content-type')).toBe('text/event-stream')
    const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec(await called.text()) ?? []
    expect(JSON.parse(data)).toMatchObject({ id: 7, result: { ...ends, content: [{}] } })
    expect(JSON.parse(data).result).not.toHaveProperty('ttlMs')
  })

  const version = 'mcp-protocol-version'
  const later = { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
  const { 'io.modelcontextprotocol/protocolVersion': _, ...nameless } = META
  it.each<[string, string, object, Record<string, string | undefined>, number, number]>([
    ['an unknown method', 'ping', {}, {}, 404, -32601],
    ['no version in the body', 'tools/list', { _meta: nameless }, {}, 400, -32602],
    ['no version in a header', 'tools/list', {}, { [version]: undefined }, 400, -32020],
    ['two versions', 'tools/list', { _meta: later }, {}, 400, -32020],
    ['a later version', 'tools/list', { _meta: later }, { [version]: '2027-01-01' }, 400, -32022],
    ['no method in a header', 'tools/list', {}, { 'mcp-method': undefined }, 400, -32020],
    ['two methods', 'tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['no name in a header', 'tools/call', { name: 'ask' }, { 'mcp-name': undefined }, 400, -32020],
    ['two names', 'tools/call', { name: 'ask' }, { 'mcp-name': 'agent' }, 400, -32020],
    ['no stream accepted', 'tools/list', {}, { accept: 'application/json' }, 406, -32000],
    ['a cursor of others', 'tools/list', { cursor: 'x' }, {}, 200, -32602],
  ])('is refused with %s', async (_, method, params, headers, status, code) => {
    const response = await ask(method, params, headers)
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
  })

  it('is refused among several, and as an answer', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
    const headers = { ...ACCEPT, [version]: MODERN }
    for (const body of [[list], { jsonrpc: '2.0', id: 1, result: {} }])
      expect((await post(JSON.stringify(body), headers)).status).toBe(400)
  })

  it('has its name in base64 where its client says so', async () => {
    const name = { 'mcp-name': `=?base64?${Buffer.from('agent').toString('base64')}?=` }
    const called = await ask('tools/call', { name: 'agent', arguments: { messages: [] } }, name)
    expect(called.status).toBe(200)
    await called.text()
  })

  it('subscribes to nothing, as nothing is pushed', async () => {
    const listening = await ask('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    const text = await listening.text()
    expect(text).toContain(
      '"notifications/subscriptions/acknowledged","params":{"notifications":{}',
    )
    expect(text).toContain('"resultType":"complete"')
  })

  it('repeats no argument in a header, whatever the schema of a graph asks for', async () => {
    const other = await startAgentServer({ projectName: 'schemas' })
    const its = await connect({}, `${other.url}/mcp`, { versionNegotiation: { mode: 'auto' } })
    const { tools } = await its.listTools()
    const { properties } = tools.find(({ name }) => name === 'zod')?.inputSchema ?? {}
    expect(properties?.topic).toMatchObject({ type: 'string' })
    expect(properties?.topic).not.toHaveProperty('x-mcp-header')
    await its.close()
    await other.stop()
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
      [post(ping, { ...ACCEPT, 'mcp-protocol-version': '2020-01-01' }), 400, -32000],
      [post(ping, { ...ACCEPT, 'mcp-protocol-version': 'x' }), 400, -32602],
      [fetch(`${server.url}/mcp`), 405, -32000],
      [fetch(`${server.url}/mcp`, { method: 'DELETE' }), 405, -32000],
    ]
    for (const [asked, status, code] of refused) {
      const response = await asked
      expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    }
  })
})
