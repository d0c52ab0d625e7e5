/** The commands and subscriptions of the thread-centred protocol, over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/core/errors.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { closedGate } from '../../support/agent/gate.ts'
import {
  type Answer,
  endOfRun,
  readUntil,
  SocketClient,
  send,
  subscribe,
  type WireEvent,
} from '../../support/agent/protocol-client.ts'
import { framesOf } from '../../support/agent/transcript.ts'
import { forAllTests } from '../../support/running.ts'

const echo = forAllTests(startAgentServer)
const protocol = forAllTests(() => startAgentServer({ projectName: 'protocol' }))

/** Starts a run and waits for its end. */
async function run(server: RunningAgentServer, assistant_id: string, input: object) {
  const thread_id = randomUUID()
  const { result } = await send(server.url, thread_id, 'run.start', { assistant_id, input })
  const events = await ended(server, thread_id, 1)
  const command = (method: string, params?: object) => send(server.url, thread_id, method, params)
  return { thread_id, run_id: result.run_id as string, events, command }
}

async function ended(server: RunningAgentServer, thread_id: string, runs: number) {
  return readUntil(await subscribe(server.url, thread_id), endOfRun(runs))
}

const refusal = (error: string, message?: RegExp) => ({
  type: 'error',
  error,
  message: expect.stringMatching(message ?? /./),
})

const asked = (events: WireEvent[]) =>
  events.filter(({ method }) => method === 'input.requested').map(({ params }) => params.data)

const answers = async (server: RunningAgentServer, thread_id: string) => {
  const { values } = await server.client.threads.getState<{ answers: string[] }>(thread_id)
  return values.answers
}

describe('run.start', () => {
  it('makes the thread, and answers the run with the last event before it', async () => {
    const thread_id = randomUUID()
    const params = { assistant_id: 'slow', input: { count: 1, ms: 1 }, metadata: { by: 'me' } }
    const answer = await send(echo.url, thread_id, 'run.start', params)
    expect(answer).toMatchObject({ type: 'success', id: 1, meta: { thread_id } })
    expect(answer.meta.applied_through_seq).toBe(0)
    const [first] = await ended(echo, thread_id, 1)
    const data = { event: 'running', graph_name: 'slow', run_id: answer.result.run_id }
    expect(first).toMatchObject({ method: 'lifecycle', seq: 1, params: { namespace: [], data } })
    const stored = await echo.client.runs.get(thread_id, answer.result.run_id)
    expect(stored).toMatchObject({ status: 'success', metadata: { by: 'me' } })
  })

  it('takes the input for the answer where the thread waits for one', async () => {
    const { thread_id, command } = await run(echo, 'ask', { question: 'Which?' })
    await command('run.start', { assistant_id: 'ask', input: 'This.' })
    await ended(echo, thread_id, 2)
    expect(await command('state.get')).toMatchObject({ result: { values: { answer: 'This.' } } })
  })

  it('refuses one answer where several are waited for, and takes them by the ids of their interrupts', async () => {
    const { thread_id, events, command } = await run(protocol, 'approve', { asked: ['a', 'b'] })
    for (const input of ['yes', {}, { answer: 'yes' }]) {
      const answer = await command('run.start', { assistant_id: 'approve', input })
      expect(answer).toMatchObject(
        refusal('invalid_argument', /waits for 2 answers.*input.respond/),
      )
    }
    const input = Object.fromEntries(asked(events).map(({ interrupt_id }) => [interrupt_id, 'yes']))
    await command('run.start', { assistant_id: 'approve', input })
    await ended(protocol, thread_id, 2)
    expect((await answers(protocol, thread_id)).toSorted()).toEqual(['a: yes', 'b: yes'])
  })

  it('goes on from a checkpoint that the config names', async () => {
    const { thread_id, command } = await run(echo, 'slow', { label: 'a', count: 1, ms: 1 })
    const list = await command('state.listCheckpoints', { limit: 1000 })
    const first = list.result.checkpoints.find(({ step }: { step: number }) => step === 0)
    const config = { configurable: { checkpoint_id: first.id } }
    const input = { label: 'b', count: 1, ms: 1 }
    await command('run.start', { assistant_id: 'slow', input, config })
    await ended(echo, thread_id, 2)
    expect(await command('state.get', { keys: ['steps'] })).toMatchObject({
      result: { values: { steps: ['b:1'] } },
    })
  })

  it('enqueues behind a run that is going on, and does not if told so', async () => {
    const thread_id = randomUUID()
    const gate = await closedGate()
    const begin = (more = {}): Promise<Answer> => {
      const input = { count: 2, ms: 1, gate: gate.path }
      const params = { assistant_id: 'slow', input, ...more }
      return send(echo.url, thread_id, 'run.start', params)
    }
    await begin()
    expect(await begin({ multitaskStrategy: 'reject' })).toMatchObject(refusal('invalid_argument'))
    expect(await begin()).toMatchObject({ type: 'success' })
    gate.open()
    await ended(echo, thread_id, 2)
  })

  it.each([
    [{ input: {} }, 'invalid_argument', /assistant_id/],
    [{ assistant_id: 'nobody', input: {} }, 'invalid_argument', /nobody/],
    [{ assistant_id: 'slow', config: 3 }, 'invalid_argument', /config/],
    [
      { assistant_id: 'slow', config: { configurable: { checkpoint_id: 'none' } } },
      'no_such_checkpoint',
      /none/,
    ],
  ])('refuses %j with %s', async (params, code, why) => {
    const answer = await send(echo.url, randomUUID(), 'run.start', params)
    expect(answer).toMatchObject(refusal(code, why))
  })
})

describe('input.respond', () => {
  it('answers several questions at once, changes the state and says where to go on', async () => {
    const { thread_id, events, command } = await run(protocol, 'approve', { asked: ['a', 'b'] })
    const responses = asked(events).map(({ interrupt_id, payload }) => ({
      interrupt_id,
      namespace: [],
      response: `yes to ${payload.question}`,
    }))
    expect(responses).toHaveLength(2)
    const more = { update: { note: 'noted' }, goto: 'extra' }
    expect(await command('input.respond', { responses, ...more })).toMatchObject({
      type: 'success',
      result: { run_id: expect.any(String) },
    })
    await ended(protocol, thread_id, 2)
    expect((await answers(protocol, thread_id)).toSorted()).toEqual([
      'a: yes to a',
      'b: yes to b',
      'extra',
    ])
    expect(await command('state.get', { keys: ['note'] })).toMatchObject({
      result: { values: { note: 'noted' } },
    })
  })

  it('answers one of several, and the other is asked again', async () => {
    const { thread_id, events, command } = await run(protocol, 'approve', { asked: ['a', 'b'] })
    const [{ interrupt_id }, other] = asked(events)
    await command('input.respond', { namespace: [], interrupt_id, response: 'yes' })
    const all = await ended(protocol, thread_id, 2)
    const again = asked(all.slice(events.length))
    expect(again).toEqual([other])
  })

  it('is heard once where two answer at the same time', async () => {
    const { thread_id, events, command } = await run(echo, 'ask', { question: 'Which?' })
    const [{ interrupt_id }] = asked(events)
    const respond = (response: string) =>
      command('input.respond', { namespace: [], interrupt_id, response })
    const both = await Promise.all([respond('a'), respond('b')])
    expect(both.map(({ type }) => type).toSorted()).toEqual(['error', 'success'])
    await ended(echo, thread_id, 2)
  })

  it('passes on strict_resume', async () => {
    const { thread_id, events, command } = await run(protocol, 'form', {})
    const [{ interrupt_id }] = asked(events)
    const answer = { interrupt_id, response: { count: 3 }, strict_resume: true }
    const { result } = await command('input.respond', answer)
    await ended(protocol, thread_id, 2)
    const { kwargs } = (await protocol.client.runs.get(thread_id, result.run_id)) as unknown as {
      kwargs: object
    }
    expect(kwargs).toMatchObject({ strict_resume: true })
    expect(await command('state.get')).toMatchObject({ result: { values: { count: 3 } } })
  })

  it('refuses what nobody asked, and a thread without a run', async () => {
    const { command } = await run(echo, 'slow', { count: 1, ms: 1 })
    const params = { namespace: [], interrupt_id: 'f'.repeat(32), response: 1 }
    expect(await command('input.respond', params)).toMatchObject(refusal('no_such_interrupt'))
    expect(await command('input.respond', {})).toMatchObject(refusal('invalid_argument'))
    const { thread_id } = await echo.client.threads.create()
    for (const id of [thread_id, randomUUID()]) {
      expect(await send(echo.url, id, 'input.respond', params)).toMatchObject(
        refusal('no_such_run'),
      )
    }
  })
})

describe('input.answered', () => {
  const answered = (events: WireEvent[]) =>
    events.filter(({ method }) => method === 'input.answered').map(({ params }) => params)
  const root = (ids: string[]) => [
    { namespace: [], timestamp: expect.any(Number), data: { interrupt_ids: ids } },
  ]

  it('names every question that input.respond answers', async () => {
    const { thread_id, events, command } = await run(protocol, 'approve', { asked: ['a', 'b'] })
    expect(answered(events)).toEqual([])
    const ids = asked(events).map(({ interrupt_id }) => interrupt_id)
    const responses = ids.map((interrupt_id) => ({ interrupt_id, response: 'yes' }))
    await command('input.respond', { responses })
    const all = await ended(protocol, thread_id, 2)
    expect(answered(all)).toEqual(root(ids))
    const last = all.slice(events.length).map(({ method }) => method)
    expect(last.slice(0, 2)).toEqual(['lifecycle', 'input.answered'])
  })

  it('names the only open question where the API is given no id', async () => {
    const { client } = protocol
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'form', { input: {} })
    const stream = client.runs.stream(thread_id, 'form', {
      command: { resume: { count: 2 } },
      streamMode: ['values', 'updates'],
    })
    const shown = (await collect(stream)).map(({ event }) => event as string)
    const all = await ended(protocol, thread_id, 2)
    const [{ interrupt_id }] = asked(all)
    expect(answered(all)).toEqual(root([interrupt_id]))
    expect(shown.filter((event) => event.includes('input'))).toEqual([])
  })

  it('comes of an answer through A2A too', async () => {
    const { thread_id, events } = await run(echo, 'ask', { question: 'why?' })
    const [{ interrupt_id }] = asked(events)
    const [first] = await echo.client.runs.list(thread_id)
    const parts = [{ kind: 'text', text: 'because' }]
    const place = { taskId: first?.run_id, contextId: thread_id }
    const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts, ...place }
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }
    const answer = await (await post(`${echo.url}/a2a/ask`, body)).json()
    expect(answer).toMatchObject({ result: { status: { state: 'completed' } } })
    expect(answered(await ended(echo, thread_id, 2))).toEqual(root([interrupt_id]))
  })

  it('comes before the refusal of a strict answer, which says what is still open', async () => {
    const { client } = protocol
    const { thread_id, events } = await run(protocol, 'form', {})
    const [{ interrupt_id }] = asked(events)
    const unknown = 'f'.repeat(32)
    await post(`${protocol.url}/threads/${thread_id}/runs/wait`, {
      assistant_id: 'form',
      command: { resume: { [unknown]: { count: 1 } } },
      strict_resume: true,
    })
    const all = await ended(protocol, thread_id, 2)
    expect(answered(all)).toEqual(root([unknown]))
    expect(all.at(-1)?.params.data).toMatchObject({
      event: 'failed',
      reason: 'not_pending',
      interrupt_ids: [unknown],
      pending_ids: [interrupt_id],
    })
    expect((await client.threads.get(thread_id)).status).toBe('interrupted')
  })
})

describe('input.inject', () => {
  const message = { role: 'user', content: 'And Basel?' }

  it('gives the graph a message, in a run of its own', async () => {
    const { thread_id, command } = await run(echo, 'agent', { messages: [] })
    const answer = await command('input.inject', { namespace: [], message })
    expect(answer).toMatchObject({ type: 'success' })
    await ended(echo, thread_id, 2)
    const { result } = await command('state.get')
    expect(result.values.messages.at(-1)).toMatchObject({ content: 'echo: And Basel?' })
  })

  it('is refused by graphs without messages, for subgraphs, and without a run', async () => {
    const { command } = await run(echo, 'slow', { count: 1, ms: 1 })
    const inject = (namespace: string[]) => command('input.inject', { namespace, message })
    expect(await inject([])).toMatchObject(refusal('not_supported', /messages/))
    expect(await inject(['child'])).toMatchObject(refusal('not_supported', /root/))
    const other = await send(echo.url, randomUUID(), 'input.inject', { namespace: [], message })
    expect(other).toMatchObject(refusal('no_such_run'))
  })
})

describe('the state', () => {
  it('is read of a subgraph by its namespace', async () => {
    const { events, command } = await run(echo, 'parent', { text: 'a', ask: true })
    const namespace = events.find(({ params }) => params.namespace.length === 1)?.params.namespace
    expect(await command('state.get', { namespace })).toMatchObject({
      result: { values: { text: 'a' }, checkpoint: { ns: namespace?.[0] } },
    })
    expect(await command('state.get', { namespace: ['nobody'] })).toMatchObject(
      refusal('no_such_namespace'),
    )
    const list = await command('state.listCheckpoints', { namespace })
    expect(list.result.checkpoints.length).toBeGreaterThan(0)
  })

  it('is listed newest first, a page at a time', async () => {
    const { command } = await run(echo, 'slow', { count: 2, ms: 1 })
    const list = async (params: object) =>
      (await command('state.listCheckpoints', params)).result.checkpoints
    const all = await list({})
    expect(all.map(({ step }: { step: number }) => step)).toEqual([3, 2, 1, 0, -1])
    expect(all[0]).toMatchObject({ id: expect.any(String), timestamp: expect.any(String) })
    expect(await list({ limit: 2, before: all[1].id })).toEqual(all.slice(2, 4))
  })

  it('of a thread that does not exist yet is empty', async () => {
    const thread_id = randomUUID()
    expect(await send(echo.url, thread_id, 'state.get')).toMatchObject({ result: { values: {} } })
    expect(await send(echo.url, thread_id, 'state.listCheckpoints')).toMatchObject({
      result: { checkpoints: [] },
    })
  })

  it('is forked at a checkpoint', async () => {
    const { thread_id, command } = await run(echo, 'slow', { label: 'a', count: 1, ms: 1 })
    const { result } = await command('state.listCheckpoints')
    const [, before] = result.checkpoints
    const fork = await command('state.fork', { checkpoint_id: before.id })
    expect(fork).toMatchObject({ result: { thread_id, run_id: expect.any(String) } })
    await ended(echo, thread_id, 2)
    const after = await command('state.listCheckpoints', { limit: 1 })
    expect(after.result.checkpoints[0].id).not.toBe(result.checkpoints[0].id)
    expect(await command('state.fork', { checkpoint_id: 'none' })).toMatchObject(
      refusal('no_such_checkpoint'),
    )
  })
})

describe('agent.getTree', () => {
  it('answers a run and its children, and where each stands', async () => {
    const { run_id, command } = await run(echo, 'parent', { text: 'a', ask: true })
    const { result } = await command('agent.getTree', { run_id })
    expect(result.tree).toMatchObject({
      namespace: [],
      status: 'interrupted',
      graph_name: 'parent',
      children: [{ namespace: [/^child:/], status: 'interrupted', graph_name: 'child' }].map(
        ({ namespace, ...rest }) => ({
          namespace: namespace.map((one) => expect.stringMatching(one)),
          ...rest,
        }),
      ),
    })
    expect(await command('agent.getTree', { run_id: randomUUID() })).toMatchObject(
      refusal('no_such_run'),
    )
  })
})

describe('commands', () => {
  it('that nobody knows, or that are for WebSockets, are refused with their id', async () => {
    const ask = (method: string) => send(echo.url, randomUUID(), method)
    expect(await ask('run.fly')).toMatchObject({ id: 1, ...refusal('unknown_command') })
    expect(await ask('toString')).toMatchObject(refusal('unknown_command'))
    expect(await ask('subscription.subscribe')).toMatchObject(refusal('not_supported'))
  })

  it.each(['{}', '[]', '{"id": -1, "method": "run.start"}', '{"id": 1}', '3'])(
    'that are none are a 400: %s',
    async (body) => {
      const url = `${echo.url}/threads/${randomUUID()}/commands`
      expect((await fetch(url, { method: 'POST', body })).status).toBe(400)
    },
  )

  it('ask authorize as the verbs that do the same, and a refusal is permission_denied', async () => {
    const seen: string[] = []
    const server = await startAgentServer({
      authorize: async (_caller, { resource, action }) => {
        seen.push(`${resource}:${action}`)
        throw new AppError('forbidden', 'not you')
      },
    })
    const methods = {
      'run.start': { assistant_id: 'agent', input: {} },
      'input.respond': { interrupt_id: 'a', response: 1 },
      'input.inject': { message: { role: 'user', content: '' } },
      'state.get': {},
      'state.listCheckpoints': {},
      'state.fork': { checkpoint_id: 'a' },
      'agent.getTree': {},
    }
    for (const [method, params] of Object.entries(methods)) {
      const answer = await send(server.url, randomUUID(), method, params)
      expect(answer).toMatchObject(refusal('permission_denied', /not you/))
    }
    expect((await subscribe(server.url, randomUUID())).status).toBe(403)
    expect(new Set(seen)).toEqual(new Set(['threads:create_run', 'threads:read']))
    await server.stop()
  })
})

describe('a subscription', () => {
  const names = (events: WireEvent[]) => [...new Set(events.map(({ method }) => method))].toSorted()

  it('shows only its channels, namespaces and depths', async () => {
    const input = { messages: [], answers: 1, words: 1, ms: 0 }
    const { thread_id, events } = await run(protocol, 'talk', input)
    const end = (event: WireEvent) => event.seq === events.at(-1)?.seq
    const read = async (wish: object) => {
      const channels = ['lifecycle', 'input', 'messages', 'custom:said']
      const found = await subscribe(protocol.url, thread_id, { channels, ...wish })
      return readUntil(found, (event) => end(event))
    }
    const root = { namespaces: [[]] }
    const all = await read({})
    expect(names(all)).toEqual(['custom', 'lifecycle', 'messages'])
    const depths = (found: WireEvent[]) =>
      [...new Set(found.map(({ params }) => params.namespace.length))].toSorted()
    expect(depths(all)).toEqual([0, 1, 2])
    expect(depths(await read({ ...root, depth: 1 }))).toEqual([0, 1])
    expect(depths(await read({ depth: 0 }))).toEqual([0])
    const alone = await read({ ...root, depth: 0 })
    expect(depths(alone)).toEqual([0])
    expect(names(alone)).toContain('messages')
    const below = await firstOf({ namespaces: [['aside']], channels: ['messages'] })
    expect(below.params).toMatchObject({ node: 'whisper' })
    const [aside = ''] = below.params.namespace
    expect((await firstOf({ namespaces: [[aside, 'whisper']], depth: 0 })).method).toBe('lifecycle')

    async function firstOf(wish: object): Promise<WireEvent> {
      const [first] = await readUntil(await subscribe(protocol.url, thread_id, wish), () => true)
      return first as WireEvent
    }
  })

  it.each([
    [{ channels: [] }],
    [{ channels: ['values', 'weather'] }],
    [{ channels: ['custom:'] }],
    [{ channels: ['values'], depth: -1 }],
    [{ channels: ['values'], namespaces: ['child'] }],
    [{ channels: ['values'], since: 'now' }],
  ])('is refused: %j', async (wish) => {
    expect((await subscribe(echo.url, randomUUID(), wish as object)).status).toBe(422)
  })

  it('sees what legacy runs do, and legacy streams see what runs of the protocol do', async () => {
    const { client } = echo
    const { thread_id } = await client.threads.create()
    const input = { label: 'a', count: 1, ms: 1 }
    const stream_mode = ['values', 'updates', 'custom']
    const body = { assistant_id: 'slow', input, stream_mode }
    const legacy = await fetch(`${echo.url}/threads/${thread_id}/runs/stream`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    const own = framesOf(await legacy.text()).map((frame) => /^event: (.*)\ndata: (.*)/.exec(frame))
    const shown = await ended(echo, thread_id, 1)
    expect(names(shown)).toEqual(['custom', 'lifecycle', 'updates', 'values'])
    const { result } = await send(echo.url, thread_id, 'run.start', {
      assistant_id: 'slow',
      input,
    })
    await ended(echo, thread_id, 2)
    const url = `${echo.url}/threads/${thread_id}/runs/${result.run_id}/stream`
    const joined = await fetch(`${url}?stream_mode=updates&stream_mode=custom`, {
      headers: { 'last-event-id': '-1' },
    })
    const again = framesOf(await joined.text()).map((frame) =>
      /^event: (.*)\ndata: (.*)/.exec(frame),
    )
    const told = (frames: (RegExpExecArray | null)[]) =>
      frames
        .filter((one) => one?.[1] === 'updates' || one?.[1] === 'custom')
        .map((one) => [one?.[1], one?.[2]])
    expect(told(again)).toEqual(told(own))
  })

  it('is not needed for messages: legacy streams show them in pieces', async () => {
    const input = { messages: [], answers: 1, words: 2, ms: 0 }
    const { thread_id, events } = await run(protocol, 'talk', input)
    const { run_id } = events[0]?.params.data ?? {}
    const options = { streamMode: ['messages-tuple' as const], lastEventId: '-1' }
    const parts = await collect(protocol.client.runs.joinStream(thread_id, run_id, options))
    const pieces = parts.flatMap(({ data }) => (Array.isArray(data) ? [data] : []))
    const answer = pieces.filter(([, { langgraph_node }]) => langgraph_node !== 'whisper')
    expect(answer.map(([piece]) => piece.content).join('')).toBe('answer-1.1 answer-1.2 ')
    expect(new Set(answer.map(([piece]) => piece.id)).size).toBe(1)
  })

  it('sees what a legacy run asks, and may answer', async () => {
    const { thread_id } = await echo.client.threads.create()
    await echo.client.runs.wait(thread_id, 'ask', { input: { question: 'Which?' } })
    const shown = await ended(echo, thread_id, 1)
    const [asked] = shown.filter(({ method }) => method === 'input.requested')
    expect(asked?.params.data).toMatchObject({ payload: { question: 'Which?' } })
    expect(shown.at(-2)).toEqual(asked)
    const values = shown.filter(({ method }) => method === 'values')
    expect(values.at(-1)?.params.data).toMatchObject({ question: 'Which?' })
    const { interrupt_id } = asked?.params.data ?? {}
    const answer = { namespace: [], interrupt_id, response: 'this one' }
    expect((await send(echo.url, thread_id, 'input.respond', answer)).type).toBe('success')
    await ended(echo, thread_id, 2)
  })

  it('of what is not kept any more is refused, and without since shows what there is', async () => {
    const { thread_id, events } = await run(echo, 'slow', { count: 1, ms: 1 })
    const last = events.at(-1)?.seq as number
    await echo.store.events.expire(Date.now() + 60_000)
    const gone = await subscribe(echo.url, thread_id, { since: 2 })
    expect(gone.status).toBe(410)
    expect(await gone.json()).toMatchObject({ detail: expect.stringContaining(`since ${last}`) })
    const socket = new SocketClient(echo.url, thread_id)
    const wish = { channels: ['lifecycle'], since: 2 }
    expect(await socket.send('subscription.subscribe', wish)).toMatchObject(
      refusal('invalid_argument', /expired/),
    )
    socket.close()
    await send(echo.url, thread_id, 'run.start', { assistant_id: 'slow', input: { count: 1 } })
    for (const wish of [{}, { since: last }]) {
      const rest = await readUntil(await subscribe(echo.url, thread_id, wish), endOfRun(1))
      expect(rest[0]?.seq).toBe(last + 1)
    }
  })

  it('whose events cannot be read ends with an error, over both transports', async () => {
    // Nothing is kept in memory, so that events are read from the store.
    const server = await startAgentServer({ limits: { streamBufferBytes: 1 } })
    const { thread_id } = await run(server, 'slow', { count: 1, ms: 1 })
    const [one] = server.members
    one.store.events.readThread = () => Promise.reject(new Error('The disk is gone.'))
    const failed = { type: 'error', id: null, error: 'unknown_error' }
    const message = 'Thread event stream failed.'
    const text = await (await subscribe(one.url, thread_id)).text()
    expect(text.split('\n').slice(0, 2)).toEqual([
      'event: error',
      `data: ${JSON.stringify({ ...failed, message })}`,
    ])
    const socket = new SocketClient(one.url, thread_id)
    await socket.send('subscription.subscribe', { channels: ['lifecycle'] })
    expect(await socket.answer(({ id }) => id === null)).toEqual({ ...failed, message })
    expect(await socket.closed()).toMatchObject({ code: 1011 })
    await server.stop()
  })

  it('of a thread that somebody else makes ends without a word of it', async () => {
    const server = await startAgentServer({
      authorize: async (caller, { action }, value) => {
        const owner = caller.headers['x-owner'] ?? 'nobody'
        if (action === 'create') Object.assign(value.metadata as object, { owner })
        return { owner }
      },
    })
    const thread_id = randomUUID()
    const stream = await subscribe(server.url, thread_id)
    const body = { id: 1, method: 'run.start', params: { assistant_id: 'slow', input: {} } }
    await fetch(`${server.url}/threads/${thread_id}/commands`, {
      method: 'POST',
      headers: { 'x-owner': 'me' },
      body: JSON.stringify(body),
    })
    await expect(stream.text()).rejects.toThrow()
    expect((await subscribe(server.url, thread_id)).status).toBe(404)
    await server.stop()
  })
})

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}
