/** The same core cases with each line of the official SDK that is in use. */
import { randomUUID } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { Client as Client112 } from 'sdk-1-12'
import { Client as OldClient } from 'sdk-2'
import { beforeAll, describe, expect, it } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect, type StreamPart } from '../../support/agent/collect.ts'
import { startCuttingProxy } from '../../support/agent/cutting-proxy.ts'
import { closedGate, type Gate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

/** What is tested here has the same types in all of them. */
const LINES: Record<string, typeof Client> = {
  '1.12.4': Client112 as unknown as typeof Client,
  '1.15.0': Client,
  '2.0.0': OldClient as unknown as typeof Client,
}

const server = forAllTests(startAgentServer)
const proxy = forAllTests(() => startCuttingProxy(server.url))

const say = (content: string) => ({ messages: [{ role: 'human', content }] })
const LONG = { label: 'a', count: 2, ms: 60_000 }
const QUICK = { label: 'a', count: 1, ms: 1 }

const names = (parts: StreamPart[]) => [...new Set(parts.map((part) => part.event))]

describe.each(Object.entries(LINES))('with the SDK %s', (_version, Sdk) => {
  const connect = (apiUrl: string) =>
    new Sdk({ apiUrl, apiKey: null, callerOptions: { maxRetries: 0 } })
  let client: Client
  beforeAll(() => {
    client = connect(server.url)
  })

  const newThread = async () => (await client.threads.create()).thread_id

  /** A run that executes and will do so for long. */
  async function startedRun() {
    const thread_id = await newThread()
    const { run_id } = await client.runs.create(thread_id, 'slow', { input: LONG })
    await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
    return { thread_id, run_id }
  }

  describe('a thread', () => {
    it('is created with an id and metadata of the client’s, and read', async () => {
      const threadId = randomUUID()
      const made = await client.threads.create({ threadId, metadata: { owner: 'u1' } })
      expect(made).toMatchObject({ thread_id: threadId, status: 'idle', metadata: { owner: 'u1' } })
      expect(await client.threads.get(threadId)).toEqual(made)
    })

    it('has an empty state before its first run, and the values of its last one after', async () => {
      const thread_id = await newThread()
      expect(await client.threads.getState(thread_id)).toMatchObject({ values: {}, next: [] })
      await client.runs.wait(thread_id, 'agent', { input: say('hi') })
      const { values, checkpoint } = await client.threads.getState(thread_id)
      expect(values).toMatchObject({ messages: [{ content: 'hi' }, { content: 'echo: hi' }] })
      expect(checkpoint).toMatchObject({ thread_id, checkpoint_id: expect.any(String) })
    })
  })

  describe('a run', () => {
    it('is created, joined and read, and the client is told where it is', async () => {
      const thread_id = await newThread()
      let told: unknown
      const run = await client.runs.create(thread_id, 'agent', {
        input: say('hi'),
        onRunCreated: (created) => {
          told = created
        },
      })
      expect(told).toEqual({ run_id: run.run_id, thread_id })
      const values = await client.runs.join(thread_id, run.run_id)
      expect(values).toMatchObject({ messages: [{ type: 'human' }, { content: 'echo: hi' }] })
      const read = await client.runs.get(thread_id, run.run_id)
      expect(read).toMatchObject({ run_id: run.run_id, status: 'success' })
    })

    it('waits for the one before it', async () => {
      const thread_id = await newThread()
      await client.runs.create(thread_id, 'slow', { input: { label: 'a', ms: 5 } })
      const second = await client.runs.create(thread_id, 'slow', {
        input: { label: 'b', count: 1 },
        multitaskStrategy: 'enqueue',
      })
      const values = await client.runs.join(thread_id, second.run_id)
      expect(values).toMatchObject({ steps: ['a:1', 'a:2', 'a:3', 'b:1'] })
    })

    it('is cancelled, and keeps what it has done', async () => {
      const { thread_id, run_id } = await startedRun()
      await client.runs.cancel(thread_id, run_id, true)
      expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')
      expect((await client.threads.getState(thread_id)).values).toMatchObject({ label: 'a' })
    })

    it('is cancelled with rollback, and leaves nothing', async () => {
      const { thread_id, run_id } = await startedRun()
      await client.runs.cancel(thread_id, run_id, true, 'rollback')
      await expect(client.runs.get(thread_id, run_id)).rejects.toThrow('HTTP 404')
      expect((await client.threads.getState(thread_id)).values).toEqual({})
    })
  })

  describe('a stream', () => {
    it('shows several modes, the metadata first', async () => {
      const thread_id = await newThread()
      const stream = client.runs.stream(thread_id, 'slow', {
        input: QUICK,
        streamMode: ['values', 'updates', 'custom'],
      })
      const parts = await collect(stream)
      expect(names(parts)).toEqual(['metadata', 'values', 'updates', 'custom'])
      expect(parts.find((part) => part.event === 'custom')?.data).toEqual({ label: 'a', step: 1 })
      expect(parts.at(-1)?.data).toMatchObject({ steps: ['a:1'] })
    })

    it('shows messages whole and in pieces', async () => {
      const thread_id = await newThread()
      const options = {
        input: say('hi'),
        streamMode: ['messages' as const, 'messages-tuple' as const],
      }
      const parts = await collect(client.runs.stream(thread_id, 'agent', options))
      const pieces = parts.filter((part) => part.event === 'messages')
      const text = pieces.map(({ data }) => (data as [{ content: string }])[0].content).join('')
      expect(text).toBe('echo: hi')
      const complete = parts.filter((part) => part.event === 'messages/complete')
      expect(complete.map(({ data }) => (data as [{ content: string }])[0].content)).toEqual([
        'hi',
        'echo: hi',
      ])
    })

    it('is joined later, from its beginning or after an event', async () => {
      const thread_id = await newThread()
      const run = await client.runs.create(thread_id, 'slow', {
        input: QUICK,
        streamMode: ['updates', 'custom'],
      })
      await client.runs.join(thread_id, run.run_id)
      const all = await collect(client.runs.joinStream(thread_id, run.run_id))
      expect(names(all)).toEqual(['metadata', 'updates', 'custom'])
      const rest = client.runs.joinStream(thread_id, run.run_id, { lastEventId: '1' })
      expect(await collect(rest)).toEqual(all.slice(2))
    })

    it('is joined for some of its modes', async () => {
      const thread_id = await newThread()
      const run = await client.runs.create(thread_id, 'slow', {
        input: QUICK,
        streamMode: ['values', 'updates', 'custom'],
      })
      const streamMode = ['custom' as const, 'updates' as const]
      const parts = await collect(client.runs.joinStream(thread_id, run.run_id, { streamMode }))
      expect(names(parts)).toEqual(['metadata', 'updates', 'custom'])
    })

    it.each(['stream', 'joinStream'] as const)(
      'goes on by itself when the connection breaks: %s',
      async (method) => {
        const remote = connect(proxy.url)
        const { thread_id } = await remote.threads.create()
        const before = proxy.connections
        const seen: StreamPart[] = []
        const gate = await closedGate()
        for await (const part of await open(remote, { thread_id, method, gate })) {
          seen.push(part as StreamPart)
          if (seen.length !== 2) continue
          proxy.cut()
          gate.open()
        }
        expect(proxy.connections).toBeGreaterThan(before)
        expect(seen.map((part) => part.id)).toEqual(seen.map((_, index) => String(index)))
        const steps = seen.filter((part) => part.event === 'custom')
        expect(steps.map(({ data }) => (data as { step: number }).step)).toEqual([1, 2, 3, 4, 5])
      },
    )
  })

  describe('without a thread', () => {
    it('a run is waited for', async () => {
      const values = await client.runs.wait(null, 'slow', { input: QUICK })
      expect(values).toMatchObject({ steps: ['a:1'] })
    })

    it('a run is streamed', async () => {
      const options = { input: say('hi'), streamMode: ['updates' as const] }
      const parts = await collect(client.runs.stream(null, 'agent', options))
      expect(names(parts)).toEqual(['metadata', 'updates'])
    })

    it('a run is created and followed', async () => {
      const run = await client.runs.create(null, 'slow', { input: QUICK, streamMode: 'custom' })
      const parts = await collect(client.runs.joinStream(null, run.run_id))
      expect(names(parts)).toEqual(['metadata', 'custom'])
    })
  })

  describe('a question of the graph', () => {
    const asked = async () => {
      const thread_id = await newThread()
      const values = await client.runs.wait(thread_id, 'ask', { input: { question: 'why?' } })
      expect(values).toMatchObject({ __interrupt__: [{ value: { question: 'why?' } }] })
      return thread_id
    }

    it('is answered with a value', async () => {
      const thread_id = await asked()
      expect((await client.threads.get(thread_id)).status).toBe('interrupted')
      const values = await client.runs.wait(thread_id, 'ask', { command: { resume: 'because' } })
      expect(values).toMatchObject({ answer: 'because' })
    })

    it('is answered by its id', async () => {
      const thread_id = await asked()
      const [task] = (await client.threads.getState(thread_id)).tasks
      const id = task?.interrupts[0]?.id ?? ''
      const command = { resume: { [id]: 'because' } }
      const values = await client.runs.wait(thread_id, 'ask', { command })
      expect(values).toMatchObject({ answer: 'because' })
    })
  })

  describe('a refusal', () => {
    it('carries its status and its sentence', async () => {
      const missing = randomUUID()
      await expect(client.threads.get(missing)).rejects.toThrow(
        new RegExp(`^HTTP 404: \\{"detail":".*${missing}.*"\\}$`),
      )
      const unknown = client.runs.create(await newThread(), 'nobody', { input: QUICK })
      await expect(unknown).rejects.toThrow(/^HTTP 404: \{"detail":".*nobody.*"\}$/)
    })

    it('of a field that does not validate names the field', async () => {
      const refused = client.threads.get('not-a-uuid')
      await expect(refused).rejects.toThrow(/^HTTP 422: \{"detail":\[.*"thread_id".*\]\}$/)
    })

    it('of a run on a busy thread is a 409, and the SDK does not try again', async () => {
      const { thread_id, run_id } = await startedRun()
      const eager = new Sdk({ apiUrl: server.url, apiKey: null })
      const refused = eager.runs.create(thread_id, 'slow', {
        input: QUICK,
        multitaskStrategy: 'reject',
      })
      await expect(refused).rejects.toThrow('HTTP 409')
      await client.runs.cancel(thread_id, run_id, true)
    })
  })

  describe('a graph that throws', () => {
    const input = { reason: 'no luck' }

    it('makes wait throw, unless the client wants the error as a value', async () => {
      const raised = client.runs.wait(null, 'fail', { input })
      await expect(raised).rejects.toThrow('RangeError: no luck')
      const values = await client.runs.wait(null, 'fail', { input, raiseError: false })
      expect(values).toEqual({ __error__: { error: 'RangeError', message: 'no luck' } })
    })

    it('ends the stream with the error', async () => {
      const parts = await collect(client.runs.stream(null, 'fail', { input }))
      expect(parts.at(-1)).toMatchObject({
        event: 'error',
        data: { error: 'RangeError', message: 'no luck' },
      })
    })
  })
})

interface Opening {
  thread_id: string
  method: 'stream' | 'joinStream'
  gate: Gate
}

/** The stream of a run of five steps, which waits at the gate after the first. */
async function open(client: Client, { thread_id, method, gate }: Opening) {
  const input = { label: 'a', count: 5, ms: 1, gate: gate.path }
  const payload = { input, streamMode: ['custom' as const] }
  if (method === 'stream') return client.runs.stream(thread_id, 'slow', payload)
  const run = await client.runs.create(thread_id, 'slow', payload)
  return client.runs.joinStream(thread_id, run.run_id)
}
