/** The thread-centred protocol over WebSockets. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { endOfRun, SocketClient } from '../../support/agent/protocol-client.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'protocol' }))

const QUICK = { assistant_id: 'talk', input: { messages: [], answers: 1, words: 1, ms: 0 } }

describe('a WebSocket', () => {
  it('takes every command, and answers a subscription before its events', async () => {
    const socket = new SocketClient(server.url, randomUUID())
    await socket.send('run.start', QUICK)
    const answer = await socket.send('subscription.subscribe', { channels: ['lifecycle'] })
    await socket.event(endOfRun(1))
    expect(answer.result).toMatchObject({ subscription_id: expect.any(String) })
    const events = socket.heard.filter(({ type }) => type === 'event')
    expect(socket.heard.slice(2)).toEqual(events)
    expect(await socket.send('state.get', { keys: ['given'] })).toMatchObject({
      result: { values: { given: 1 } },
    })
    const again = await socket.send('subscription.subscribe', { channels: ['lifecycle'] })
    expect(again.result.replayed_events).toBe(events.length)
    socket.close()
  })

  it('may answer a question as soon as it is told', async () => {
    const socket = new SocketClient(server.url, randomUUID())
    await socket.send('subscription.subscribe', { channels: ['input', 'lifecycle'] })
    await socket.send('run.start', { assistant_id: 'beside', input: {} })
    const { params } = await socket.event(({ method }) => method === 'input.requested')
    const answer = { interrupt_id: params.data.interrupt_id, namespace: [], response: 'yes' }
    expect(await socket.send('input.respond', answer)).toMatchObject({ type: 'success' })
    await socket.event(endOfRun(2))
    socket.close()
  })

  it('shows several subscriptions in one order, and none that was given up', async () => {
    const socket = new SocketClient(server.url, randomUUID())
    const first = await socket.send('subscription.subscribe', { channels: ['messages'] })
    await socket.send('subscription.subscribe', { channels: ['lifecycle'], depth: 0 })
    await socket.send('run.start', QUICK)
    await socket.event(endOfRun(1))
    const seqs = socket.heard.flatMap((one) => ('seq' in one ? [one.seq] : []))
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(new Set(seqs).size).toBe(seqs.length)
    const { subscription_id } = first.result
    await socket.send('subscription.unsubscribe', { subscription_id })
    const from = socket.heard.length
    await socket.send('run.start', QUICK)
    await socket.event(endOfRun(2))
    const methods = socket.heard.slice(from).flatMap((one) => ('method' in one ? [one.method] : []))
    expect(new Set(methods)).toEqual(new Set(['lifecycle']))
    expect(await socket.send('subscription.unsubscribe', { subscription_id })).toMatchObject({
      type: 'error',
      error: 'no_such_subscription',
    })
    socket.close()
  })

  it('takes subscriptions of an earlier connection up again after their last event', async () => {
    const thread_id = randomUUID()
    const before = new SocketClient(server.url, thread_id)
    const { result } = await before.send('subscription.subscribe', { channels: ['lifecycle'] })
    const { run_id } = (await before.send('run.start', QUICK)).result
    const first = await before.event(() => true)
    await before.event(endOfRun(1))
    before.close()
    const events = before.heard.filter(({ type }) => type === 'event')
    const after = new SocketClient(server.url, thread_id)
    const subscriptions = [result.subscription_id]
    const asked = { run_id, last_event_id: first.event_id, subscriptions }
    const answer = await after.send('subscription.reconnect', asked)
    expect(answer.result).toMatchObject({ restored: true, missed_events: events.length - 1 })
    expect(answer.result.current_namespaces).toContainEqual({ namespace: [], status: 'completed' })
    await after.event(endOfRun(1))
    expect(after.heard.slice(1)).toEqual(events.slice(1))
    expect(await after.send('subscription.reconnect', { run_id: randomUUID() })).toMatchObject({
      error: 'no_such_run',
    })
    expect(
      await after.send('subscription.reconnect', { run_id, subscriptions: ['sub-1-bm8'] }),
    ).toMatchObject({ error: 'no_such_subscription' })
    expect(
      await after.send('subscription.reconnect', { run_id, last_event_id: 'x' }),
    ).toMatchObject({ error: 'invalid_argument' })
    after.close()
  })

  it('is told of what is no command, and goes on', async () => {
    const socket = new SocketClient(server.url, randomUUID())
    for (const text of ['nonsense', '[]', '{"id": "1", "method": "run.start"}']) {
      await socket.sendText(text)
    }
    const refused = (await socket.send('run.fly')) as unknown
    expect(refused).toMatchObject({ error: 'unknown_command' })
    expect(socket.heard.slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ type: 'error', id: null, error: 'invalid_argument' }),
      ),
    )
    expect(await socket.send('subscription.subscribe', { channels: ['weather'] })).toMatchObject({
      error: 'invalid_argument',
    })
    socket.close()
  })

  it('is closed with the status that a request would have had', async () => {
    const guarded = await startAgentServer({ apiKeys: ['the-key'] })
    const id = randomUUID()
    expect((await new SocketClient(guarded.url, id).closed()).code).toBe(4401)
    expect((await new SocketClient(server.url, 'no-uuid').closed()).code).toBe(4422)
    const known = new SocketClient(guarded.url, id, { 'x-api-key': 'the-key' })
    await known.send('run.start', { assistant_id: 'agent', input: { messages: [] } })
    known.close()
    await guarded.stop()
  })

  it('is told to come back when the server stops', async () => {
    const stopping = await startAgentServer()
    const socket = new SocketClient(stopping.url, randomUUID())
    await socket.send('subscription.subscribe', { channels: ['values'] })
    const [{ code }] = await Promise.all([socket.closed(), stopping.stop()])
    expect(code).toBe(1012)
  })

  it('is not what a plain GET gets', async () => {
    const url = `${server.url}/threads/${randomUUID()}/stream/events`
    expect((await fetch(url)).status).toBe(426)
  })
})
