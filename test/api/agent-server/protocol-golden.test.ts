/**
 * Whole streams of the thread-centred protocol against `test/golden`; `UPDATE_GOLDEN=1` writes what
 * they are now. Of tasks that work at the same time, each in its order.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import {
  EVERYTHING,
  endOfRun,
  readUntil,
  SocketClient,
  send,
  subscribe,
  type WireEvent,
} from '../../support/agent/protocol-client.ts'
import { byLane, golden, normalized } from '../../support/agent/transcript.ts'

const servers = new Map<string, RunningAgentServer>()

beforeAll(async () => {
  for (const projectName of ['echo', 'protocol']) {
    servers.set(projectName, await startAgentServer({ projectName }))
  }
})
afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())))

interface Scene {
  project: string
  assistant_id: string
  input: object
  /** Several of its tasks work at the same time. */
  isParallel?: boolean
  /** What is done on the thread while it is followed. */
  acts?: ((at: At) => Promise<void>)[]
}

interface At {
  url: string
  thread_id: string
  server: RunningAgentServer
  run_id: string
  /** Settles with the first event that fits. */
  when(isIt: (event: WireEvent) => boolean): Promise<WireEvent>
}

const human = { role: 'human', content: 'How is Bern?', id: 'question' }
const asks = (event: WireEvent) => event.method === 'input.requested'
const isDelta = (event: WireEvent) => event.params.data?.event === 'content-block-delta'

const answerOne = async ({ url, thread_id, when }: At) => {
  const { params } = await when(asks)
  const { interrupt_id } = params.data
  const answer = { interrupt_id, namespace: params.namespace, response: '!' }
  expect(await send(url, thread_id, 'input.respond', answer)).toMatchObject({ type: 'success' })
}

const cancel = async ({ server, thread_id, run_id, when }: At) => {
  await when(isDelta)
  await server.client.runs.cancel(thread_id, run_id)
}

const SCENES: Record<string, Scene> = {
  text: {
    project: 'protocol',
    assistant_id: 'talk',
    input: { messages: [human], answers: 1, words: 2, ms: 0 },
  },
  'tool-loop': { project: 'echo', assistant_id: 'tools', input: { messages: [human] } },
  'content-blocks': { project: 'protocol', assistant_id: 'rich', input: { messages: [human] } },
  subgraphs: { project: 'echo', assistant_id: 'parent', input: { text: 'a' } },
  send: {
    project: 'protocol',
    assistant_id: 'fan',
    input: { items: ['a', 'b'] },
    isParallel: true,
  },
  'interrupt-root': {
    project: 'echo',
    assistant_id: 'ask',
    input: { question: 'Which?' },
    acts: [answerOne],
  },
  'interrupt-nested': {
    project: 'echo',
    assistant_id: 'parent',
    input: { text: 'a', ask: true },
    acts: [answerOne],
  },
  error: { project: 'echo', assistant_id: 'fail', input: {} },
  cancel: { project: 'protocol', assistant_id: 'hang', input: { answer: '' }, acts: [cancel] },
}

function transcript(events: WireEvent[]): string {
  const lines = events.map(({ params: { timestamp, ...params }, ...event }) => {
    expect(timestamp).toBeGreaterThan(1_700_000_000_000)
    return JSON.stringify({ ...event, params })
  })
  return `${normalized(lines.join('\n'))}\n`
}

/** A subgraph has one, and so has what a task ends with. */
function laneOf(line: string): string {
  const { method, params } = JSON.parse(line) as WireEvent
  const { namespace, node, data } = params
  const result = method === 'updates' ? data.values : method === 'tasks' ? data.result : undefined
  return JSON.stringify([namespace, result && [node ?? data.name, result]])
}

function comparable(text: string, isParallel: boolean): string {
  return isParallel ? byLane(text.trim().split('\n'), laneOf) : text
}

/** What happens in a subgraph comes after the start of its task, and nothing but its end comes later. */
function expectWithinTask(events: WireEvent[]): void {
  const indexOf = (id: string | undefined, part: 'input' | 'result') =>
    events.findIndex(({ params: { data } }) => data.id === id && part in data)
  for (const [index, { method, params }] of events.entries()) {
    const [id] = params.namespace.map((part) => part.split(':')[1])
    if (id === undefined) continue
    expect(index).toBeGreaterThan(indexOf(id, 'input'))
    const isEnd = method === 'lifecycle' && params.data.event === 'completed'
    if (!isEnd) expect(index).toBeLessThan(indexOf(id, 'result'))
  }
}

describe.each(Object.entries(SCENES))('%s', (name, scene) => {
  const { project, assistant_id, input, isParallel = false, acts = [] } = scene
  const server = () => servers.get(project) as RunningAgentServer
  const ends = acts.includes(answerOne) ? 2 : 1

  test('is what it always was: live, by WebSocket, afterwards, and from after each event on', async () => {
    const { url } = server()
    const thread_id = randomUUID()
    const live = readAll(await subscribe(url, thread_id))
    const socket = new SocketClient(url, thread_id)
    await socket.send('subscription.subscribe', { channels: EVERYTHING })
    const { result } = await send(url, thread_id, 'run.start', { assistant_id, input })
    for (const act of acts)
      await act({ url, thread_id, server: server(), run_id: result.run_id, when })
    const events = await live
    const text = transcript(events)
    const expected = golden(`protocol-${name}`, text)
    expect(comparable(text, isParallel)).toBe(comparable(expected, isParallel))
    if (isParallel) expectWithinTask(events)
    const seqs = events.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    await socket.event(({ seq }) => seq === events.at(-1)?.seq)
    expect(socket.heard.slice(1)).toEqual(events)
    socket.close()
    expect(await readAll(await subscribe(url, thread_id))).toEqual(events)
    for (const [i, { seq }] of events.slice(0, -1).entries()) {
      const rest = await readUntil(
        await subscribe(url, thread_id, { since: seq }),
        (event) => event.seq === events.at(-1)?.seq,
      )
      expect(rest).toEqual(events.slice(i + 1))
    }

    async function when(isIt: (event: WireEvent) => boolean): Promise<WireEvent> {
      const seen = await readUntil(await subscribe(url, thread_id), isIt)
      return seen.at(-1) as WireEvent
    }
  })

  function readAll(response: Response): Promise<WireEvent[]> {
    return readUntil(response, endOfRun(ends))
  }
})
