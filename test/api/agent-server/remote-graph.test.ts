/** LangGraph's own client for a graph on a server, which is to behave as the graph itself does. */
import { randomUUID } from 'node:crypto'
import { HumanMessage } from '@langchain/core/messages'
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { RemoteGraph } from '@langchain/langgraph/remote'
import { describe, expect, it } from 'vitest'
import { fixtureProject, startAgentServer } from '../../support/agent/agent-server.ts'
import { differing } from '../../support/agent/language.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const remote = (graphId: string) => new RemoteGraph({ graphId, client: server.client })

/** A thread that is not there yet: the first run on it makes it. */
const onThread = () => ({ configurable: { thread_id: randomUUID() } })

type DrawnGraph = Awaited<ReturnType<RemoteGraph['getGraphAsync']>>

const QUICK = { label: 'a', count: 1, ms: 1 }

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('invoking', () => {
  it('answers the final values', async () => {
    const values = await remote('agent').invoke({ messages: [new HumanMessage('hi')] })
    expect(values).toMatchObject({ messages: [{ content: 'hi' }, { content: 'echo: hi' }] })
  })

  it('makes the thread of its config, and goes on with it the next time', async () => {
    const config = onThread()
    await remote('slow').invoke(QUICK, config)
    const values = await remote('slow').invoke({ ...QUICK, label: 'b' }, config)
    expect(values).toMatchObject({ steps: ['a:1', 'b:1'] })
    expect((await server.client.threads.get(config.configurable.thread_id)).status).toBe('idle')
  })

  it('throws what the graph threw', async () => {
    const failing = remote('fail').invoke({ reason: 'no luck' })
    await expect(failing).rejects.toThrow(/RangeError.*no luck/)
  })

  it('throws an interrupt, which a command resumes', async () => {
    const config = onThread()
    const asking = remote('ask').invoke({ question: 'why?' }, config)
    await expect(asking).rejects.toMatchObject({ interrupts: [{ value: { question: 'why?' } }] })
    const values = await remote('ask').invoke(new Command({ resume: 'because' }), config)
    expect(values).toMatchObject({ answer: 'because' })
  })

  it('works as a node of a local graph', async () => {
    const local = new StateGraph(MessagesAnnotation)
      .addNode('remote', remote('agent'))
      .addEdge(START, 'remote')
      .compile()
    const { messages } = await local.invoke({ messages: [new HumanMessage('hi')] })
    expect(messages.map((message) => message.text)).toContain('echo: hi')
  })
})

describe('streaming', () => {
  it('in one mode yields the payloads', async () => {
    const updates = await all(await remote('slow').stream(QUICK, { streamMode: 'updates' }))
    expect(updates).toMatchObject([{ begin: { label: 'a' } }, { step: { steps: ['a:1'] } }])
  })

  it('in several modes yields each with its mode', async () => {
    const parts = await all(
      await remote('slow').stream(QUICK, { streamMode: ['values', 'custom'] }),
    )
    expect(parts).toContainEqual(['custom', { label: 'a', step: 1 }])
    expect(parts.at(-1)).toMatchObject(['values', { steps: ['a:1'] }])
  })

  it('with subgraphs yields their namespace', async () => {
    const options = { streamMode: 'updates' as const, subgraphs: true }
    const parts = await all(await remote('parent').stream({ text: 'a' }, options))
    expect(parts).toContainEqual([[expect.stringMatching(/^child:/)], { inner: { text: 'A' } }])
  })
})

describe('streaming events', () => {
  it('in version 3 yields those of the protocol, and the output', async () => {
    const run = await remote('parent').streamEvents({ text: 'a' }, { version: 'v3' })
    const events = await all(run)
    expect(events.map(({ method }) => method)).toContain('values')
    expect(events.at(-1)).toMatchObject({
      method: 'lifecycle',
      params: { namespace: [], data: { event: 'completed' } },
    })
    expect(await run.output).toMatchObject({ text: 'A' })
  })

  it('in version 3 tells what is asked, and goes on with the answer', async () => {
    const options = { ...onThread(), version: 'v3' as const }
    const asking = await remote('ask').streamEvents({ question: 'why?' }, options)
    await asking.output
    expect(asking.interrupted).toBe(true)
    expect(asking.interrupts).toMatchObject([{ payload: { question: 'why?' } }])
    const values = await remote('ask').invoke(new Command({ resume: 'because' }), options)
    expect(values).toMatchObject({ answer: 'because' })
  })
})

describe('the state of a thread', () => {
  it('is read as a snapshot', async () => {
    const config = onThread()
    await remote('slow').invoke(QUICK, config)
    const state = await remote('slow').getState(config)
    expect(state).toMatchObject({
      values: { steps: ['a:1'] },
      next: [],
      config: { configurable: { checkpoint_id: expect.any(String) } },
    })
  })

  it('shows the tasks that ask something', async () => {
    const config = onThread()
    await remote('ask')
      .invoke({ question: 'why?' }, config)
      .catch(() => {})
    const state = await remote('ask').getState(config)
    expect(state.next).toEqual(['ask'])
    expect(state.tasks).toMatchObject([
      { name: 'ask', interrupts: [{ value: { question: 'why?' } }] },
    ])
  })

  it('is changed in the name of a node', async () => {
    const config = onThread()
    await remote('ask')
      .invoke({ question: 'why?' }, config)
      .catch(() => {})
    const updated = await remote('ask').updateState(config, { answer: 'because' }, 'ask')
    expect(updated.configurable).toMatchObject({ checkpoint_id: expect.any(String) })
    const state = await remote('ask').getState(config)
    expect(state).toMatchObject({ values: { answer: 'because' }, next: [] })
  })

  it('has a history, newest first, each state of which can be read by its config', async () => {
    const config = onThread()
    await remote('slow').invoke(QUICK, config)
    const history = await all(remote('slow').getStateHistory(config))
    expect(history[0]?.values).toMatchObject({ steps: ['a:1'] })
    const older = history[1] ?? expect.fail('there is one state only')
    expect(older.next).toEqual(['step'])
    expect(await remote('slow').getState(older.config)).toMatchObject({ next: ['step'] })
  })
})

describe('the drawing of the graph', () => {
  it.each([false, true])('is the one that the graph draws of itself (xray: %s)', async (xray) => {
    const graphs = await import(`${fixtureProject('echo', 'javascript')}graph.ts`)
    const own = (await graphs.parent.getGraphAsync({ xray })) as DrawnGraph
    const drawn = await remote('parent').getGraphAsync({ xray })
    const child = differing('drawings', {
      javascript: 'child',
      python: xray ? 'child:inner' : 'child',
    })
    const named = (id: string) => (id === 'child' ? child : id)
    expect(Object.keys(drawn.nodes).toSorted()).toEqual(
      Object.keys(own.nodes).map(named).toSorted(),
    )
    const ends = ({ source, target }: { source: string; target: string }) =>
      `${named(source)} ${named(target)}`
    expect(drawn.edges.map(ends).toSorted()).toEqual(own.edges.map(ends).toSorted())
  })

  it('names the subgraphs', async () => {
    const subgraphs = await all(remote('parent').getSubgraphsAsync())
    expect(subgraphs.map(([name]) => name)).toEqual(['child'])
  })
})
