/** `client.threads.stream` of the SDKs that have it, over both transports, against a real server. */
import { randomUUID } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { Client as Client112 } from 'sdk-1-12'
import { describe, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const echo = forAllTests(startAgentServer)
const protocol = forAllTests(() => startAgentServer({ projectName: 'protocol' }))

const SDKS = { '1.12.4': Client112 as unknown as typeof Client, '1.15.0': Client }
const TRANSPORTS = ['sse', 'websocket'] as const

const cases = Object.entries(SDKS).flatMap(([version, Sdk]) =>
  TRANSPORTS.map((transport) => ({ version, transport, Sdk })),
)

const human = { role: 'human', content: 'How is Bern?', id: 'question' }

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe.each(cases)('SDK $version over $transport', ({ Sdk, transport }) => {
  const open = (server: RunningAgentServer, assistantId: string) => {
    const client = new Sdk({ apiUrl: server.url, apiKey: null })
    return client.threads.stream(randomUUID(), { assistantId, transport })
  }

  test('a message comes word by word, and the values at the end', async () => {
    const thread = open(protocol, 'talk')
    const messages = thread.messages
    await thread.run.start({ input: { messages: [human], answers: 1, words: 3, ms: 1 } })
    const texts: string[][] = []
    for await (const message of messages) texts.push(await all(message.text))
    const values = (await thread.output) as { given: number }
    await thread.close()
    expect(texts).toEqual([
      ['answer-1.1 ', 'answer-1.2 ', 'answer-1.3 '],
      ['whisper-2.1 ', 'whisper-2.2 ', 'whisper-2.3 '],
    ])
    expect(values.given).toBe(1)
  })

  test('the arguments of a tool call come in slices, and together at the end', async () => {
    const thread = open(protocol, 'rich')
    const messages = thread.messages
    await thread.run.start({ input: { messages: [human] } })
    const slices: unknown[] = []
    const calls: unknown[] = []
    for await (const message of messages) {
      for await (const event of message) {
        if (event.event !== 'content-block-delta') continue
        const { type, args } = event.delta as { type: string; args?: string }
        if (type === 'tool-call-delta') slices.push(args)
      }
      for (const { name, args } of await message.toolCalls) calls.push([name, args])
    }
    await thread.close()
    expect(slices).toEqual(['{"at":', '"it"}', '{"at"'])
    expect(calls).toEqual([['look', { at: 'it' }]])
  })

  test('tool calls come with what they were given and what they answered', async () => {
    const thread = open(echo, 'tools')
    const calls = thread.toolCalls
    await thread.run.start({ input: { messages: [human] } })
    const [call] = await all(calls)
    expect(call).toMatchObject({ name: 'weather', callId: 'call-1', args: { city: 'Bern' } })
    expect(await call?.output).toBe('sunny in Bern')
    await thread.close()
  })

  test('what the graph’s own transformers make of the stream comes as extensions', async () => {
    const thread = open(protocol, 'transformed')
    const { said, total } = thread.extensions
    const custom = await thread.subscribe({ channels: ['custom'] })
    const told = all(custom)
    await thread.run.start({ input: { messages: [human] } })
    expect(await Promise.all([all(said as AsyncIterable<object>), total])).toEqual([
      [{ text: 'How is Bern?!' }],
      1,
    ])
    expect((await told).map(({ params }) => params.data)).toEqual([
      { name: 'open', text: 'How is Bern?' },
      { name: 'said', payload: { text: 'How is Bern?!' } },
      { name: 'total', payload: 1 },
    ])
    await thread.close()
  })

  test('an interrupt is told of, and its answer is taken', async () => {
    const thread = open(echo, 'parent')
    await thread.run.start({ input: { text: 'a', ask: true } })
    await thread.output
    expect(thread.interrupted).toBe(true)
    const [asked] = thread.interrupts
    expect(asked).toMatchObject({ payload: { text: 'a' } })
    expect(asked?.namespace).toEqual([expect.stringMatching(/^child:/)])
    await thread.input.respond({
      namespace: asked?.namespace ?? [],
      interrupt_id: String(asked?.interruptId),
      response: '?',
    })
    const updates = await thread.subscribe({ channels: ['updates'], namespaces: [[]] })
    for await (const { params } of updates) {
      if ((params.data as { node?: string }).node === 'after') break
    }
    // What a step changes is told before its checkpoint is written.
    await expect
      .poll(() => thread.state.get({ namespace: [] }))
      .toMatchObject({ values: { text: 'A?', steps: ['before', 'after'] } })
    await thread.close()
  })
})
