import {
  Message,
  SendMessageRequest,
  StreamResponse,
  type Task,
  TaskState,
  Task as Tasks,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { describe, expect, it } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

/** Everyone owns what they make and sees nothing else of threads. */
const byOwner: Authorize = async (caller, { resource, action }, value) => {
  if (resource !== 'threads') return undefined
  const owner = caller.headers['x-user'] ?? ''
  if (action === 'create') Object.assign(value.metadata as object, { owner })
  return { owner }
}

const server = forAllTests(() => startAgentServer({ authorize: byOwner }))
const pausing = forAllTests(() => startAgentServer({ projectName: 'runs' }))

/** The official client, from the assistant's card; that of the old version with `legacy`. */
function clientOf(
  assistant: string,
  { legacy = false, user = 'alice', url = server.url } = {},
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-user', user)
    if (legacy) headers.delete('a2a-version')
    return fetch(input, { ...init, headers })
  }
  const how = { fetchImpl, legacyCompat: { enabled: legacy } }
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(how)],
    cardResolver: new DefaultAgentCardResolver(how),
  })
  const card = `${url}/.well-known/agent-card.json?assistant_id=${assistant}`
  return new ClientFactory(options).createFromUrl(card, '')
}

function say(parts: object[], more: object = {}, configuration?: object): SendMessageRequest {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...more }
  return SendMessageRequest.fromJSON({ message, configuration })
}

async function send(client: Client, ...asked: Parameters<typeof say>): Promise<Task> {
  return (await client.sendMessage(say(...asked))) as Task
}

const stateOf = ({ status }: Task) => TaskState[status?.state ?? 0]
const artifactOf = (task: Task) => (Tasks.toJSON(task) as { artifacts: object[] }).artifacts
const question = [{ data: { question: 'why?' } }]

describe.each([{ legacy: false }, { legacy: true }])('the official client ($legacy)', (version) => {
  it('sends a message and goes on with the context', async () => {
    const client = await clientOf('agent', version)
    const first = await send(client, [{ text: 'one' }])
    expect(stateOf(first)).toBe('TASK_STATE_COMPLETED')
    expect(artifactOf(first)).toMatchObject([{ parts: [{ text: 'echo: one' }] }])
    const second = await send(client, [{ text: 'two' }], { contextId: first.contextId })
    expect(second).toMatchObject({ contextId: first.contextId, history: { length: 4 } })
    const again = await client.getTask({ tenant: '', id: second.id, historyLength: 1 })
    expect(again.history.map((one) => Message.toJSON(one))).toMatchObject([
      { role: 'ROLE_AGENT', parts: [{ text: 'echo: two' }] },
    ])
  })

  it('streams a task: its pieces, its whole answer, its end', async () => {
    const client = await clientOf('agent', version)
    const events: string[] = []
    let text = ''
    for await (const event of client.sendMessageStream(say([{ text: 'a b' }]))) {
      const shown = StreamResponse.toJSON(event) as Shown
      const { artifactUpdate: piece } = shown
      if (piece) text = (piece.append ? text : '') + (piece.artifact.parts[0]?.text ?? '')
      const state = (shown.task ?? shown.statusUpdate)?.status.state
      events.push(state ?? (piece?.lastChunk ? 'whole' : 'piece'))
    }
    expect(events).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'piece',
      'piece',
      'piece',
      'whole',
      'TASK_STATE_COMPLETED',
    ])
    expect(text).toBe('echo: a b')
  })

  it('answers what a task asks, and the task goes on', async () => {
    const client = await clientOf('ask', version)
    const asking = await send(client, question)
    expect(stateOf(asking)).toBe('TASK_STATE_INPUT_REQUIRED')
    const [asked, data] = asking.status?.message?.parts ?? []
    expect(asked?.content).toEqual({ $case: 'text', value: 'why?' })
    expect(data?.content?.value).toMatchObject({ interrupts: [{ value: { question: 'why?' } }] })
    const answered = await send(client, [{ text: 'because' }], { taskId: asking.id })
    expect(answered.id).toBe(asking.id)
    expect(artifactOf(answered)).toMatchObject([{ parts: [{ data: { answer: 'because' } }] }])
    await expect(send(client, [{ text: 'x' }], { taskId: asking.id })).rejects.toThrow('is over')
    expect(stateOf(await client.getTask({ tenant: '', id: asking.id }))).toBe(
      'TASK_STATE_COMPLETED',
    )
  })

  it('cancels a task that runs, and one that is over not', async () => {
    const client = await clientOf('slow', version)
    const long = [{ data: { count: 1, ms: 600_000 } }]
    const task = await send(client, long, {}, { returnImmediately: true })
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    expect(stateOf(cancelled)).toBe('TASK_STATE_CANCELED')
    const again = client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    await expect(again).rejects.toThrow('not running')
  })

  it('comes back to a task that goes on', async () => {
    const client = await clientOf('slow', version)
    const gate = await closedGate()
    const work = [{ data: { count: 2, ms: 1, gate: gate.path } }]
    const task = await send(client, work, {}, { returnImmediately: true })
    const states: unknown[] = []
    for await (const event of client.resubscribeTask({ tenant: '', id: task.id })) {
      gate.open()
      const { statusUpdate } = StreamResponse.toJSON(event) as Shown
      if (statusUpdate) states.push(statusUpdate.status.state)
    }
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED')
  })
})

interface Shown {
  task?: { status: { state: string } }
  statusUpdate?: { status: { state: string } }
  artifactUpdate?: {
    append?: boolean
    lastChunk?: boolean
    artifact: { parts: { text?: string }[] }
  }
}

describe('a message', () => {
  it('brings files as content of the message, and data as input', async () => {
    const client = await clientOf('agent')
    const file = { raw: Buffer.from('pixels').toString('base64'), mediaType: 'image/png' }
    const link = { url: 'https://example.org/a.pdf', mediaType: 'application/pdf', filename: 'a' }
    const task = await send(client, [{ text: 'see' }, file, link])
    expect(Message.toJSON(task.history[0] as Message)).toMatchObject({
      role: 'ROLE_USER',
      parts: [{ text: 'see' }, file, link],
    })
    const typed = await send(client, [{ data: { messages: [{ role: 'user', content: 'typed' }] } }])
    expect(artifactOf(typed)).toMatchObject([{ parts: [{ text: 'echo: typed' }] }])
  })

  it('answers several questions by their ids, and one only', async () => {
    const client = await clientOf('pair', { url: pausing.url })
    const asking = await send(client, [{ data: { first: '' } }])
    const asked = asking.status?.message?.parts.at(-1)?.content?.value as {
      interrupts: { id: string; value: string }[]
    }
    expect(asked.interrupts).toHaveLength(2)
    const more = { taskId: asking.id }
    await expect(send(client, [{ text: 'yes' }], more)).rejects.toThrow('asks 2 questions')
    const interrupts = asked.interrupts.map(({ id, value }) => ({ id, value: `${value} yes` }))
    const answered = await send(client, [{ data: { interrupts } }], more)
    expect(artifactOf(answered)).toMatchObject([
      { parts: [{ data: { first: 'one? yes', second: 'two? yes' } }] },
    ])
  })

  it('makes a failed task of a run that fails', async () => {
    const task = await send(await clientOf('fail'), [{ data: { reason: 'no luck' } }])
    expect(stateOf(task)).toBe('TASK_STATE_FAILED')
    expect(task.status?.message?.parts[0]?.content?.value).toBe('RangeError: no luck')
  })

  it('runs on when the client of its stream has left', async () => {
    const client = await clientOf('slow')
    const work = say([{ data: { count: 5, ms: 20 } }])
    let id = ''
    for await (const event of client.sendMessageStream(work)) {
      id = (StreamResponse.toJSON(event) as { task: { id: string } }).task.id
      break
    }
    const now = async () => stateOf(await client.getTask({ tenant: '', id }))
    await eventually(now).toBe('TASK_STATE_COMPLETED')
  })

  it('finds no task of someone else, and adds none to their context', async () => {
    const task = await send(await clientOf('agent'), [{ text: 'mine' }])
    const bob = await clientOf('agent', { user: 'bob' })
    const { id, contextId } = task
    const context = { tenant: '', contextId, status: 0, pageToken: '' }
    const requests = [
      () => bob.getTask({ tenant: '', id }),
      () => bob.cancelTask({ tenant: '', id, metadata: undefined }),
      () => bob.resubscribeTask({ tenant: '', id }).next(),
      () => send(bob, [{ text: 'x' }], { taskId: id }),
      () => send(bob, [{ text: 'x' }], { contextId }),
      () => bob.listTasks({ ...context, statusTimestampAfter: undefined }),
    ]
    for (const request of requests) await expect(request()).rejects.toThrow('not found')
    const other = await clientOf('ask')
    await expect(other.getTask({ tenant: '', id })).rejects.toThrow('Task not found')
  })
})

it('lists the tasks of a context, each once', async () => {
  const client = await clientOf('ask')
  const first = await send(client, question)
  await send(client, [{ text: 'a' }], { taskId: first.id })
  const { contextId } = first
  const second = await send(client, question, { contextId })
  const asked = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined }
  const all = await client.listTasks(asked)
  expect(all.tasks.map(({ id }) => id)).toEqual([second.id, first.id])
  const waiting = { ...asked, status: TaskState.TASK_STATE_INPUT_REQUIRED }
  expect((await client.listTasks(waiting)).tasks.map(({ id }) => id)).toEqual([second.id])
  const page = await client.listTasks({ ...asked, pageSize: 1 })
  const { nextPageToken: pageToken } = page
  expect((await client.listTasks({ ...asked, pageToken })).tasks[0]?.id).toBe(first.id)
})

it('lists the tasks of all contexts that the caller may see, and of no other assistant', async () => {
  const user = 'carol'
  const [ask, agent] = [await clientOf('ask', { user }), await clientOf('agent', { user })]
  const asked = {
    tenant: '',
    contextId: '',
    status: 0,
    pageToken: '',
    statusTimestampAfter: undefined,
  }
  expect(await ask.listTasks(asked)).toMatchObject({ tasks: [], totalSize: 0 })
  const first = await send(ask, question)
  await send(agent, [{ text: 'x' }])
  const second = await send(ask, question)
  await send(ask, [{ text: 'a' }], { taskId: first.id })
  const all = await ask.listTasks(asked)
  expect(all.tasks.map(({ id }) => id)).toEqual([first.id, second.id])
  const waiting = { ...asked, status: TaskState.TASK_STATE_INPUT_REQUIRED }
  expect((await ask.listTasks(waiting)).tasks.map(({ id }) => id)).toEqual([second.id])
})

describe('a card', () => {
  it('names the address that the client sees, in either version', async () => {
    const behind = { 'x-forwarded-prefix': '/agents/x', 'x-forwarded-host': 'h.example' }
    const headers = { ...behind, 'x-forwarded-proto': 'https' }
    const { assistant_id } = await server.client.assistants.get('agent')
    const url = `https://h.example/agents/x/a2a/${assistant_id}`
    const at = `${server.url}/a2a/agent/.well-known/agent-card.json`
    const old = await (await fetch(at, { headers: { ...headers, 'a2a-version': '0.3' } })).json()
    expect(old).toMatchObject({ name: 'agent', url, protocolVersion: '0.3' })
    expect(old).not.toHaveProperty('supportedInterfaces')
    const now = await fetch(at, { headers: { ...headers, 'a2a-version': '1.0' } })
    expect(now.headers.get('vary')).toContain('A2A-Version')
    const current = (await now.json()) as object
    expect(current).toMatchObject({ supportedInterfaces: [{ url }, { url }] })
    expect(current).not.toHaveProperty('url')
    const either = await (await fetch(at, { headers })).json()
    const older = await fetch(`${server.url}/a2a/agent/.well-known/agent.json`, { headers })
    expect(await older.json()).toEqual(either)
    expect(either).toMatchObject({ ...(old as object), ...current, skills: [{ id: 'agent' }] })
  })

  it('names the public address where there is one', async () => {
    const publicUrl = 'https://runyard.example'
    const behind = await startAgentServer({ publicUrl })
    const card = await (await fetch(`${behind.url}/.well-known/agent-card.json`)).json()
    expect(card).toMatchObject({ url: expect.stringContaining(`${publicUrl}/a2a/`) })
    await behind.stop()
  })

  it('is the first graph’s where none is named, and none of nobody’s', async () => {
    const card = `${server.url}/.well-known/agent-card.json`
    expect(await (await fetch(card)).json()).toMatchObject({ name: 'agent' })
    expect((await fetch(`${card}?assistant_id=nobody`)).status).toBe(404)
    const client = await clientOf('ask')
    const extended = await client.getAgentCard()
    expect(extended).toMatchObject({ description: 'Asks before it goes on' })
  })
})

it('refuses in words of JSON-RPC', async () => {
  const rpc = async (assistant: string, body: string, headers: Record<string, string> = {}) => {
    const url = `${server.url}/a2a/${assistant}`
    const response = await fetch(url, { method: 'POST', headers, body })
    return [response.status, await response.json()]
  }
  const ask = (method: string, params: unknown = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
  const message = (parts: unknown[], more = {}) => ({
    message: { role: 'user', messageId: 'm', parts, ...more },
  })
  const text = { kind: 'text', text: 'x' }
  let deep: unknown = 1
  for (let depth = 0; depth < 300; depth += 1) deep = [deep]
  const refused: [string, number][] = [
    ['{', -32700],
    ['[]', -32600],
    [`{"jsonrpc":"2.0","method":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, -32600],
    [ask('nope'), -32601],
    ['{"jsonrpc":"2.0","id":[1],"method":"GetTask"}', -32602],
    [ask('message/send'), -32602],
    [ask('message/send', message([])), -32602],
    [ask('message/send', message([null])), -32602],
    [ask('message/send', message([{ kind: 'file', file: {} }])), -32602],
    [ask('message/send', message([text], { contextId: 'no-uuid' })), -32602],
    [ask('message/stream', message([text], { metadata: { deep } })), -32602],
    [ask('SendStreamingMessage', message([])), -32602],
    [ask('tasks/get', { id: 'x' }), -32001],
    [ask('tasks/resubscribe', { id: crypto.randomUUID() }), -32001],
    [ask('CreateTaskPushNotificationConfig', { taskId: 'x' }), -32001],
    [ask('ListTasks', { contextId: 'no-uuid' }), -32602],
  ]
  for (const [body, code] of refused) {
    expect(await rpc('agent', body)).toMatchObject([200, { jsonrpc: '2.0', error: { code } }])
  }
  const dated = await rpc('agent', ask('GetTask', { id: 'x' }), { 'a2a-version': '9.9' })
  expect(dated).toMatchObject([200, { id: 7, error: { code: -32009 } }])
  expect(await rpc('nobody', ask('tasks/get'))).toMatchObject([
    404,
    { detail: expect.stringContaining('nobody') },
  ])
})
