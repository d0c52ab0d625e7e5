/** Clients that open a stream and do not read it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { bytesInUse } from '../../support/processes/memory.ts'
import { forAllTests } from '../../support/running.ts'

/** Each step of the run adds the label to its state, and shows all of it: a stream of 34 MB. */
const STEPS = 40
const LABEL = 'x'.repeat(40_000)
const READERS = 10
/** A part of the 340 MB that would be held if what they do not read were kept for ten readers. */
const MAX_GROWTH_BYTES = 40_000_000

const server = forAllTests(startAgentServer)

test('cost little memory, and go on from the last event that they have', async () => {
  const path = await longStream()
  const ids = await readIds(path, -1)
  const before = await bytesInUse()
  const sockets = await Promise.all(Array.from({ length: READERS }, () => openUnread(path)))
  // Who reads gets everything meanwhile, so the others had as much time.
  expect(await readIds(path, -1)).toEqual(ids)
  await eventually(async () => (await bytesInUse()) - before).toBeLessThan(MAX_GROWTH_BYTES)

  const seen = await readUntilEvent(sockets[0] as Socket, 9)
  for (const socket of sockets) socket.destroy()
  expect(seen).toEqual(ids.slice(0, seen.length))
  expect(await readIds(path, seen.length - 1)).toEqual(ids.slice(seen.length))
})

async function longStream(): Promise<string> {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', {
    input: { label: LABEL, count: STEPS, ms: 0 },
    config: { recursion_limit: STEPS + 10 },
    durability: 'exit',
  })
  await client.runs.join(thread_id, run_id)
  return `/threads/${thread_id}/runs/${run_id}/stream`
}

/** The ids of a whole stream, read as fast as it comes and not kept. */
async function readIds(path: string, after: number): Promise<number[]> {
  const headers = { 'last-event-id': String(after) }
  const response = await fetch(`${server.url}${path}`, { headers })
  const ids: number[] = []
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest = takeIds(rest + text, ids)
  }
  return ids
}

/** A connection on which the stream was asked for, and of which nothing more is read. */
async function openUnread(path: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nLast-Event-ID: -1\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** The ids up to this one, or a few more. */
async function readUntilEvent(socket: Socket, id: number): Promise<number[]> {
  const ids: number[] = []
  let rest = ''
  for await (const bytes of socket) {
    rest = takeIds(rest + String(bytes), ids)
    if ((ids.at(-1) ?? -1) >= id) break
  }
  return ids
}

/** Notes the ids of the events that are complete; answers what is left. */
function takeIds(text: string, ids: number[]): string {
  const frames = text.split('\n\n')
  const rest = frames.pop() ?? ''
  for (const frame of frames) ids.push(Number(/\nid: (\d+)$/.exec(frame)?.[1]))
  return rest
}
