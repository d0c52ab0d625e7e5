/** The agent server on graphs that are scripts: nothing of it needs LangGraph, or an object of LangChain's. */
import { expect, it } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { createScriptedHost } from '../../support/hosts/scripted-graph-host.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() =>
  startAgentServer({ projectName: 'played', createHost: createScriptedHost }),
)

it('streams a run on a thread, and keeps its state and history', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const streamMode = ['values', 'updates', 'custom', 'tasks'] as const
  const parts = await collect(
    client.runs.stream(thread_id, 'steps', { input: {}, streamMode: [...streamMode] }),
  )
  expect(parts[0]?.event).toBe('metadata')
  const of = (event: string) => parts.filter((part) => part.event === event).map(({ data }) => data)
  expect(of('values').at(-1)).toEqual({ steps: ['first', 'second'] })
  expect(of('updates')).toEqual([
    { first: { steps: ['first'] } },
    { second: { steps: ['second'] } },
  ])
  expect(of('custom')).toEqual([{ at: 'first' }, { at: 'second' }])
  expect(of('tasks')).toHaveLength(4)
  expect(await client.threads.getState(thread_id)).toMatchObject({
    values: { steps: ['first', 'second'] },
    next: [],
  })
  const history = await client.threads.getHistory(thread_id)
  expect(history.map(({ next }) => next)).toEqual([[], ['second'], ['first']])
})

it('waits at an interrupt, and goes on with the answer', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const asked = await client.runs.wait(thread_id, 'ask', { input: {} })
  expect(asked).toMatchObject({ __interrupt__: [{ value: { question: 'sure?' } }] })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted' })
  const command = { resume: 'yes' }
  expect(await client.runs.wait(thread_id, 'ask', { command })).toEqual({
    answer: 'yes',
    steps: ['before', 'ask'],
  })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'idle' })
})

it('streams what a model writes, piece by piece', async () => {
  const { client } = server
  const input = { messages: [{ type: 'human', id: 'm1', content: 'one two' }] }
  const streamMode = ['messages', 'messages-tuple'] as never
  const parts = await collect(client.runs.stream(null, 'talk', { input, streamMode }))
  const partials = parts.filter(({ event }) => event === 'messages/partial')
  expect(partials.map(({ data }) => (data as [{ content: string }])[0].content)).toEqual([
    'echo: ',
    'echo: one ',
    'echo: one two',
  ])
  const pieces = parts.filter(({ event }) => event === 'messages')
  expect(pieces.map(({ data }) => (data as [{ content: string }])[0].content).join('')).toBe(
    'echo: one two',
  )
  expect(parts.map(({ event }) => event)).toContain('messages/complete')
})

it('updates a state, and goes on from an earlier one', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'steps', { input: {} })
  await client.threads.updateState(thread_id, { values: { steps: ['by hand'] }, asNode: 'first' })
  expect(await client.runs.wait(thread_id, 'steps', { input: null })).toEqual({
    steps: ['first', 'second', 'by hand', 'second'],
  })
  const history = await client.threads.getHistory(thread_id)
  const checkpoint = history.at(-2)?.checkpoint
  const options = { input: null, checkpointId: String(checkpoint?.checkpoint_id) }
  expect(await client.runs.wait(thread_id, 'steps', options)).toEqual({
    steps: ['first', 'second'],
  })
})

it('tells why a run has failed', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const parts = await collect(client.runs.stream(thread_id, 'fail', { input: {} }))
  expect(parts.at(-1)).toMatchObject({
    event: 'error',
    data: { error: 'RangeError', message: 'failed on purpose' },
  })
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'error' })
})

it('stops a run, and knows that its node has ended', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'hang', { input: {} })
  await expect.poll(async () => (await client.runs.get(thread_id, run_id)).status).toBe('running')
  await client.runs.cancel(thread_id, run_id, true)
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'interrupted',
    stop_outcome: 'stopped',
  })
})

it('tells a run in the words of the protocol', async () => {
  const { client, url } = server
  const { thread_id } = await client.threads.create()
  const command = {
    id: 1,
    method: 'run.start',
    params: {
      assistant_id: 'talk',
      input: { messages: [{ type: 'human', id: 'm', content: 'hi' }] },
    },
  }
  const answer = await fetch(`${url}/threads/${thread_id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  })
  const { result } = (await answer.json()) as { result: { run_id: string } }
  await client.runs.join(thread_id, result.run_id)
  const [store] = server.members.map((member) => member.store)
  const events = (await store?.events.readThread(thread_id, 0, 100)) ?? []
  const names = events.map(({ event, data }) => {
    const { data: told } = JSON.parse(data) as { data?: { event?: string } }
    return [event.split('|', 1)[0], told?.event].filter(Boolean).join(' ')
  })
  expect(names).toEqual(
    expect.arrayContaining([
      'protocol/lifecycle running',
      'protocol/checkpoints',
      'protocol/messages message-start',
      'protocol/messages message-finish',
      'protocol/values',
    ]),
  )
})
