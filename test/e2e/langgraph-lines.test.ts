/**
 * Projects on each line of LangGraph: everything that a client does with a graph, out of a bundle as a
 * deployment has it, and threads that go on after their project has changed from one line to another.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleProject } from '../../src/graph/js/bundle/write.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { endOfRun, readUntil, send, subscribe } from '../support/agent/protocol-client.ts'
import {
  GATEWAY,
  type ManagedServe,
  startManagedServe,
} from '../support/processes/managed-serve.ts'
import { run } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PEERS = join(ROOT, 'test/peer/langgraph-lines')
const PROJECT = join(ROOT, 'test/fixtures/projects/lines')
/** The newest is that of this repository; the others are installed. */
const INSTALLED = ['0.2', '0.3', '0.4', '1.0', '1.1', '1.4']
const LINES = [...INSTALLED, '1.7']

const dir = temporaryFolder()
beforeAll(async () => {
  await Promise.all(INSTALLED.map(install))
}, 600_000)

async function install(line: string): Promise<void> {
  const cwd = join(PEERS, line)
  if (existsSync(join(cwd, 'node_modules/.package-lock.json'))) return
  await run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd, timeoutMs: 550_000 })
}

/** The fixture with the packages of a line; answers its `langgraph.json`. */
function makeProject(line: string): string {
  const folder = join(dir, `project-${line}`)
  const packages = join(INSTALLED.includes(line) ? join(PEERS, line) : ROOT, 'node_modules')
  cpSync(PROJECT, folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['@langchain', 'zod']) {
    symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  }
  return join(folder, 'langgraph.json')
}

/** Before 1.2 LangGraph does not tell of tools. */
const TELLS_OF_TOOLS = ['1.4', '1.7']

const clientOf = ({ url }: ManagedServe) => new Client({ apiUrl: url, defaultHeaders: GATEWAY })

async function kill({ process }: ManagedServe): Promise<void> {
  const exited = once(process, 'exit')
  process.kill('SIGKILL')
  await exited
}

// biome-ignore lint/suspicious/noExplicitAny: what clients of every age are told
type Told = any

const question = (topic: string) => ({ question: `May I write about ${topic}?` })
const THE_END = ['plan cats', 'write 1', 'write 2', 'end']

/** A run of `agent` up to its question; answers the thread. */
async function ask(client: Client, topic: string): Promise<string> {
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'agent', { input: { topic } })
  return thread_id
}

async function stepsOf(client: Client, thread_id: string): Promise<unknown> {
  const { values } = await client.threads.getState<{ steps?: unknown }>(thread_id)
  return values.steps
}

describe.each(LINES)('LangGraph %s', (line) => {
  /** An interrupt has an id since 0.3.6, by which it can be answered. */
  const id = line === '0.2' ? {} : { id: expect.stringMatching(/^[0-9a-f]{32}$/) }
  let configPath: string
  let started: Parameters<typeof startManagedServe>[0]
  let server: ManagedServe
  let client: Client
  beforeAll(async () => {
    configPath = makeProject(line)
    const { file: bundlePath } = (await bundleProject(await readProjectConfig(configPath))) as {
      file?: string
    }
    if (bundlePath === undefined) throw new Error('The project was not bundled.')
    started = { configPath, dataDir: join(dir, `data-${line}`), bundlePath }
    server = await startManagedServe(started)
    client = clientOf(server)
  })
  afterAll(() => kill(server))

  it('streams in every mode', async () => {
    const streamMode = [
      'values',
      'updates',
      'messages-tuple',
      'tasks',
      'checkpoints',
      'debug',
    ] as const
    const input = { messages: [{ role: 'user', content: 'hi' }] }
    const told = new Map<string, Told[]>()
    const options = { input, streamMode: [...streamMode, 'events'] as Told }
    for await (const { event, data } of client.runs.stream(null, 'chat', options)) {
      told.set(event, [...(told.get(event) ?? []), data])
    }
    const names = ['metadata', ...streamMode, 'events'].map((name) => name.replace('-tuple', ''))
    expect([...told.keys()].sort()).toEqual(names.sort())
    const hello = expect.objectContaining({ content: 'Hello there', type: 'ai' })
    expect(told.get('values')?.at(-1)).toMatchObject({ messages: [{ content: 'hi' }, hello] })
    expect(told.get('updates')).toEqual([{ answer: { messages: [hello] } }])
    expect(
      told
        .get('messages')
        ?.map(([{ content }]) => content)
        .join(''),
    ).toMatch(/^Hello there/)
    const [task, result] = told.get('tasks') ?? []
    expect([task, result]).toMatchObject([{ name: 'answer' }, { result: { messages: [hello] } }])
    expect(told.get('checkpoints')?.at(-1)).toMatchObject({ values: { messages: [{}, hello] } })
    expect(told.get('debug')?.map(({ type }) => type)).toEqual([
      'checkpoint',
      'checkpoint',
      'task',
      'task_result',
      'checkpoint',
    ])
    expect(server.output()).not.toContain('The bundle could not be used')
  })

  it('asks, takes the answer, has its history and branches off it', async () => {
    const { thread_id } = await client.threads.create()
    const told: Told[] = []
    const options = { input: { topic: 'cats' }, streamMode: ['updates', 'custom'] as Told }
    for await (const event of client.runs.stream(thread_id, 'agent', options)) told.push(event)
    const asked = [{ ...id, value: question('cats') }]
    expect(told.slice(1).map(({ event, data }) => [event, data])).toEqual([
      ['custom', { planning: 'cats' }],
      ['updates', { plan: { steps: 'plan cats' } }],
      ['updates', { __interrupt__: asked }],
    ])
    const thread = await client.threads.get(thread_id)
    expect(thread).toMatchObject({ status: 'interrupted' })
    expect(Object.values(thread.interrupts)).toEqual([asked])
    const state = await client.threads.getState(thread_id, undefined as never, { subgraphs: true })
    const [{ interrupts, state: inner }] = state.tasks as Told
    expect([interrupts, inner.next]).toEqual([asked, ['ask']])
    const resume = line === '0.2' ? 'yes' : { [interrupts[0].id]: 'yes' }
    const values = await client.runs.wait(thread_id, 'agent', { command: { resume } })
    expect(values).toMatchObject({ said: 'yes', steps: THE_END })

    const history = await client.threads.getHistory(thread_id)
    const nexts = [[], ['end'], ['write', 'write'], ['review'], ['plan'], ['__start__']]
    expect(history.map(({ next }) => next)).toEqual(nexts)
    const checkpoint = history[3]?.checkpoint as Told
    await client.threads.updateState(thread_id, {
      values: { topic: 'dogs' },
      checkpoint,
      asNode: 'plan',
    })
    expect(await client.runs.wait(thread_id, 'agent', { input: null })).toMatchObject({
      steps: ['plan cats'],
      __interrupt__: [{ value: question('dogs') }],
    })
    // The tasks that were sent are sent again where they wait.
    const sent = history[2]?.checkpoint as Told
    const again = await client.runs.wait(thread_id, 'agent', { input: null, checkpoint: sent })
    expect(again).toMatchObject({ topic: 'cats', steps: THE_END })
  })

  it('takes context, durability, a store and the functional API', async () => {
    const { thread_id } = await client.threads.create()
    const options = {
      input: { topic: 'owls' },
      context: { who: 'ann' },
      durability: 'exit',
    } as const
    await client.runs.wait(thread_id, 'agent', options)
    expect(await client.store.getItem(['topics'], 'owls')).toMatchObject({ value: { of: 'ann' } })
    const history = await client.threads.getHistory(thread_id)
    expect(history.map(({ next }) => next)).toEqual(
      line === '0.2' ? [['review'], ['plan'], ['__start__']] : [['review']],
    )
    expect(await client.runs.wait(thread_id, 'agent', { command: { resume: 'ok' } })).toMatchObject(
      {
        steps: ['plan owls', 'write 1', 'write 2', 'end'],
      },
    )
    const shouted = await client.runs.wait(null, 'shout', { input: { text: 'hi' } })
    expect(shouted).toEqual({ result: 'HI' })
    const [assistant] = await client.assistants.search({ graphId: 'agent' })
    const { nodes } = await client.assistants.getGraph(assistant?.assistant_id ?? '')
    expect(nodes.map((node) => node.id)).toContain('review')
    // Where they are read in the source that takes seconds: once is enough.
    if (line !== '0.3') return
    const schemas = await client.assistants.getSchemas(assistant?.assistant_id ?? '')
    expect(Object.keys((schemas.state_schema as Told).properties)).toContain('topic')
  })

  it('tells its question over the protocol, and takes the answer', async () => {
    const thread_id = randomUUID()
    const start = { assistant_id: 'agent', input: { topic: 'cats' } }
    await send(server.url, thread_id, 'run.start', start, GATEWAY)
    const follow = () => subscribe(server.url, thread_id, {}, undefined, GATEWAY)
    const first = await readUntil(await follow(), endOfRun(1))
    const root = first.filter(({ params: { namespace } }) => namespace.length === 0)
    const step = ['tasks', 'updates', 'tasks', 'checkpoints', 'values']
    expect(root.map(({ method }) => method).filter((name) => name !== 'custom')).toEqual([
      'lifecycle',
      'checkpoints',
      'values',
      ...step,
      'tasks',
      'tasks',
      'lifecycle',
    ])
    const asked = first.find(({ method }) => method === 'input.requested')?.params
    // Before 0.3.6 it has no id to be told with.
    expect(asked?.data.payload).toEqual(line === '0.2' ? undefined : question('cats'))
    if (!asked) return
    const answer = { interrupt_id: asked.data.interrupt_id, response: 'yes' }
    const respond = { namespace: asked.namespace, ...answer }
    await send(server.url, thread_id, 'input.respond', respond, GATEWAY)
    await readUntil(await follow(), endOfRun(2))
    expect(await stepsOf(client, thread_id)).toEqual(THE_END)
  })

  it('tells of messages and tools at their nodes over the protocol', async () => {
    const thread_id = randomUUID()
    const start = { assistant_id: 'crew', input: { messages: [{ role: 'user', content: 'hi' }] } }
    await send(server.url, thread_id, 'run.start', start, GATEWAY)
    const followed = await subscribe(server.url, thread_id, {}, undefined, GATEWAY)
    const events = await readUntil(followed, endOfRun(1))
    /** The nodes in whose namespace there was such an event. */
    const placesOf = (channel: string, kind: string) =>
      events
        .filter(({ method, params }) => method === channel && params.data.event === kind)
        .map(({ params }) => params.namespace.map((part) => part.split(':')[0]).join('/'))
        .sort()
    expect(placesOf('messages', 'message-start')).toEqual(['lead', 'north/say', 'south/say'])
    expect(placesOf('lifecycle', 'started')).toEqual(expect.arrayContaining(['lead', 'north/say']))
    const looked = TELLS_OF_TOOLS.includes(line) ? ['north/look', 'south/look'] : []
    expect(placesOf('tools', 'tool-started')).toEqual(looked)
    expect(placesOf('tools', 'tool-finished')).toEqual(looked)
  })

  it('is cancelled, and goes on where it was when its server is killed', async () => {
    const { thread_id } = await client.threads.create()
    const input = { count: 1000, steps: [] }
    // It would end by itself after 25 steps, two and a half seconds.
    const config = { recursion_limit: 1001 }
    const run = await client.runs.create(thread_id, 'slow', { input, config })
    await expect.poll(() => stepsOf(client, thread_id)).toContain(1)
    await client.runs.cancel(thread_id, run.run_id, true)
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('interrupted')

    const other = (await client.threads.create()).thread_id
    const last = await client.runs.create(other, 'slow', { input: { count: 8, steps: [] } })
    await expect.poll(() => stepsOf(client, other)).toContain(2)
    await kill(server)
    server = await startManagedServe(started)
    client = clientOf(server)
    await client.runs.join(other, last.run_id)
    expect(await stepsOf(client, other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })
})

describe('threads', () => {
  /** Before 0.2.74 the channels of nodes have other names: a thread that waits does not go on. */
  const changes = LINES.slice(1)

  it('go on after each upgrade, and after a rollback', async () => {
    const dataDir = join(dir, 'data-of-threads')
    const parked: { from: string; to: string; asking: string; sending: string }[] = []
    const outcomes: Record<string, unknown> = {}
    for (const [place, line] of [...changes, '0.3'].entries()) {
      const server = await startManagedServe({
        configPath: join(dir, `project-${line}/langgraph.json`),
        dataDir,
      })
      const client = clientOf(server)
      for (const { from, asking, sending } of parked.filter(({ to }) => to === `${place}`)) {
        outcomes[`${from} to ${line}`] = await goOn(client, { asking, sending })
      }
      for (let to = place + 1; to <= changes.length; to += 1) {
        parked.push({ from: line, to: String(to), ...(await park(client)) })
      }
      await kill(server)
    }
    const pairs = changes.flatMap((from, i) =>
      [...changes.slice(i + 1), '0.3'].map((to) => `${from} to ${to}`),
    )
    const well = [[question('cats'), 'yes', ...THE_END], ['ok', ...THE_END], 6]
    expect(outcomes).toEqual(Object.fromEntries(pairs.map((pair) => [pair, well])))
  })

  /** One that waits for an answer, and one that stands before the tasks it has sent. */
  async function park(client: Client) {
    const [asking, sending] = [await ask(client, 'cats'), await ask(client, 'cats')]
    const options = { command: { resume: 'ok' }, interruptBefore: ['write'] }
    await client.runs.wait(sending, 'agent', options)
    return { asking, sending }
  }

  async function goOn(client: Client, { asking, sending }: { asking: string; sending: string }) {
    const [interrupt] = Object.values(
      (await client.threads.get(asking)).interrupts,
    ).flat() as Told[]
    const resume = { [interrupt.id]: 'yes' }
    const answered = (await client.runs.wait(asking, 'agent', { command: { resume } })) as Told
    const sent = (await client.runs.wait(sending, 'agent', { input: null })) as Told
    const history = await client.threads.getHistory(sending)
    return [
      [interrupt.value, answered.said, ...answered.steps],
      [sent.said, ...sent.steps],
      history.length,
    ]
  }
})
