/** WebSocket clients that subscribe and then read nothing. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { bytesInUse } from '../../support/processes/memory.ts'
import { forAllTests } from '../../support/running.ts'

/** Each step adds the label to the state, and shows all of it: a stream of 34 MB. */
const STEPS = 40
const LABEL = 'x'.repeat(40_000)
const CLIENTS = 10
/** A part of the 340 MB that would be held if what they do not read were kept for each of them. */
const MAX_GROWTH_BYTES = 40_000_000

const server = forAllTests(startAgentServer)

test('cost little memory, hold up nobody, and go on since the last event that they have', async () => {
  const thread_id = await longThread()
  const seqs = await new Reader(thread_id).upTo()
  const before = await bytesInUse()
  const stalled = await Promise.all(Array.from({ length: CLIENTS }, () => openStalled(thread_id)))
  // Who reads gets everything meanwhile, so the others had as much time.
  expect(await new Reader(thread_id).upTo()).toEqual(seqs)
  await eventually(async () => (await bytesInUse()) - before).toBeLessThan(MAX_GROWTH_BYTES)

  const [slow] = stalled as [Reader]
  const seen = await slow.upTo(9)
  for (const { socket } of stalled) socket.terminate()
  expect(seen).toEqual(seqs.slice(0, seen.length))
  expect(await new Reader(thread_id, seen.at(-1)).upTo()).toEqual(seqs.slice(seen.length))
})

/** A thread on which one run is over. */
async function longThread(): Promise<string> {
  const { client } = server
  const thread_id = randomUUID()
  await client.runs.wait(thread_id, 'slow', {
    input: { label: LABEL, count: STEPS, ms: 0 },
    config: { recursion_limit: STEPS + 10 },
    durability: 'exit',
    ifNotExists: 'create',
    streamMode: 'values',
  } as object)
  return thread_id
}

/** Subscribed since an event; notes the numbers of the events that come, and no more of them. */
class Reader {
  readonly socket: WebSocket
  readonly seqs: number[] = []
  isOver = false

  constructor(thread_id: string, since = 0) {
    const url = server.url.replace('http', 'ws')
    this.socket = new WebSocket(`${url}/threads/${thread_id}/stream/events`)
    const params = { channels: ['values', 'lifecycle'], since }
    const command = { id: 1, method: 'subscription.subscribe', params }
    this.socket.on('open', () => this.socket.send(JSON.stringify(command)))
    this.socket.on('message', (data) => {
      const { type, seq, method, params } = JSON.parse(String(data))
      if (type === 'event') this.seqs.push(seq)
      this.isOver ||= method === 'lifecycle' && params.data.event === 'completed'
    })
  }

  /** Reads until there are so many, or to the end of the run, and leaves. */
  async upTo(count = Number.POSITIVE_INFINITY): Promise<number[]> {
    this.socket.resume()
    while (!this.isOver && this.seqs.length < count) await once(this.socket, 'message')
    this.socket.terminate()
    return [...this.seqs]
  }
}

/** Of what comes after the answer nothing is read from the network. */
async function openStalled(thread_id: string): Promise<Reader> {
  const reader = new Reader(thread_id)
  await once(reader.socket, 'message')
  reader.socket.pause()
  return reader
}
