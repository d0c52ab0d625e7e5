/**
 * Whole streams, byte for byte, against `test/golden`; `UPDATE_GOLDEN=1` writes what they are now.
 * Where callbacks are told among others, each of the two in its order: LangGraph hands on what a graph
 * streams beside its callbacks, and does not order them.
 */
import { describe, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import {
  byLane,
  framesOf,
  golden,
  normalized,
  readAll,
  readFrames,
  readGolden,
} from '../../support/agent/transcript.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

interface Wish {
  assistant_id: string
  input: object
  stream_mode: string | string[]
  stream_subgraphs?: boolean
}

const human = { role: 'human', content: 'How is Bern?', id: 'question' }
const asked = { assistant_id: 'tools', input: { messages: [human] } }
const lost = {
  assistant_id: 'tools',
  input: { messages: [{ ...human, content: 'How is Nowhere?' }] },
}
const slow = { assistant_id: 'slow', input: { label: 'a', count: 2, ms: 1 } }
const nested = { assistant_id: 'parent', input: { text: 'a' }, stream_subgraphs: true }

const STREAMS: [name: string, wish: Wish][] = [
  ['values', { ...asked, stream_mode: 'values' }],
  ['updates', { ...asked, stream_mode: 'updates' }],
  ['messages', { ...asked, stream_mode: 'messages' }],
  ['messages-tuple', { ...asked, stream_mode: 'messages-tuple' }],
  ['events', { ...asked, stream_mode: 'events' }],
  ['debug', { ...asked, stream_mode: 'debug' }],
  ['tasks', { ...asked, stream_mode: 'tasks' }],
  ['checkpoints', { ...asked, stream_mode: 'checkpoints' }],
  ['tools', { ...asked, stream_mode: 'tools' }],
  ['tools-error', { ...lost, stream_mode: 'tools' }],
  ['custom', { ...slow, stream_mode: 'custom' }],
  ['values-updates-custom', { ...slow, stream_mode: ['values', 'updates', 'custom'] }],
  ['messages-both', { ...asked, stream_mode: ['messages', 'messages-tuple'] }],
  ['messages-values', { ...asked, stream_mode: ['messages', 'values'] }],
  ['updates-tools-events', { ...asked, stream_mode: ['updates', 'tools', 'events'] }],
  ['subgraphs-values-updates', { ...nested, stream_mode: ['values', 'updates'] }],
  ['lifecycle', { ...nested, stream_subgraphs: false, stream_mode: 'lifecycle' }],
  ['lifecycle-updates', { ...nested, stream_mode: ['lifecycle', 'updates'] }],
  ['subgraphs-debug', { ...nested, stream_mode: 'debug' }],
  ['subgraphs-events-values', { ...nested, stream_mode: ['events', 'values'] }],
  ['error', { assistant_id: 'fail', input: {}, stream_mode: ['values', 'updates'] }],
  [
    'interrupt',
    { assistant_id: 'ask', input: { question: 'Which?' }, stream_mode: ['values', 'updates'] },
  ],
]

function post(path: string, body: object): Promise<Response> {
  const headers = { 'user-agent': 'test', 'content-type': 'application/json' }
  return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function start(wish: Wish): Promise<Response> {
  const { thread_id } = await server.client.threads.create()
  return post(`/threads/${thread_id}/runs/stream`, wish)
}

function goOn(response: Response, lastEventId: number): Promise<Response> {
  const headers = { 'last-event-id': String(lastEventId) }
  return fetch(`${server.url}${response.headers.get('location')}`, { headers })
}

/** All of it, or the callbacks' lane and the others'. */
function comparable({ stream_mode }: Wish, text: string): string {
  if (stream_mode === 'events' || !stream_mode.includes('events')) return normalized(text)
  return byLane(framesOf(text), (frame) => String(frame.startsWith('event: events\n')))
}

function numberOf(frame: string): number {
  return Number(/\nid: (\d+)\n\n$/.exec(frame)?.[1])
}

describe.each(STREAMS)('%s', (name, wish) => {
  test('is what it always was, and after each event the rest of it can be had', async () => {
    const response = await start(wish)
    const text = await readAll(response)
    expect(comparable(wish, text)).toBe(comparable(wish, golden(name, normalized(text))))
    const frames = framesOf(text)
    expect(frames.map(numberOf)).toEqual(frames.map((_, index) => index))
    expect(frames.join('')).toBe(text)
    for (const id of frames.keys()) {
      const rest = await readAll(await goOn(response, id))
      expect(rest).toBe(frames.slice(id + 1).join(''))
    }
  })
})

describe.each(
  STREAMS.filter(([name]) => ['messages-both', 'values-updates-custom'].includes(name)),
)('%s, cut while it runs', (name, wish) => {
  test('after any event: both halves together are the undisturbed stream', async () => {
    const whole = readGolden(name)
    for (let count = 1; count <= framesOf(whole).length; count += 1) {
      const response = await start(wish)
      const first = await readFrames(response, count)
      const rest = await readAll(await goOn(response, count - 1))
      expect(normalized(first + rest)).toBe(whole)
    }
  })
})
