/** `runyard dev`: a project that changes while clients talk to it. */
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import {
  type DevProcess,
  type ProjectFiles,
  startDevProcess,
} from '../support/processes/dev-process.ts'
import { processesIn } from '../support/processes/processes.ts'

const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

const GRAPH = `
import { setTimeout as wait } from 'node:timers/promises'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { word } from './lib/word.ts'

const State = Annotation.Root({
  steps: Annotation<number>,
  until: Annotation<string>,
  said: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
})

export const graph = new StateGraph(State)
  .addNode('say', async (state, config) => {
    if (state.steps > 0) await wait(100)
    config.writer?.(state.steps ?? 0)
    return { steps: (state.steps ?? 0) - 1, said: [word + (process.env.MARK ?? '')] }
  })
  .addEdge(START, 'say')
  .addConditionalEdges('say', ({ steps, until, said }) =>
    (until ? said.at(-1) === until : steps <= 0) ? END : 'say')
  .compile()
`
const word = (text: string) => `export const word: string = '${text}'\n`
const PROJECT: ProjectFiles = {
  'langgraph.json': '{ "graphs": { "agent": "./src/graph.ts:graph" }, "env": ".env" }',
  'src/graph.ts': GRAPH,
  'src/lib/word.ts': word('one'),
}

let dev: DevProcess
afterEach(async () => void (await dev.stop()))

async function start(files = PROJECT, options = {}): Promise<{ url: string; client: Client }> {
  dev = startDevProcess(files, options)
  const url = await dev.ready
  return { url, client: new Client({ apiUrl: url, apiKey: null }) }
}

/** A reload takes about a second, on a busy machine some; what it prints may come after what it does. */
const eventually = <T>(look: () => T) => expect.poll(look)

const say = async (client: Client, thread_id: string | null = null) =>
  thread_id === null
    ? client.runs.wait(null, 'agent', { input: { said: [] } })
    : client.runs.wait(thread_id, 'agent', { input: { said: [] } })

describe('a change', () => {
  it('of an imported file, of the env file and of langgraph.json is taken, threads are kept', async () => {
    const { url, client } = await start()
    const { thread_id } = await client.threads.create()
    expect(await say(client, thread_id)).toMatchObject({ said: ['one'] })

    dev.write({ 'src/lib/word.ts': word('two') })
    await eventually(() => say(client)).toMatchObject({ said: ['two'] })
    expect(await say(client, thread_id)).toMatchObject({ said: ['one', 'two'] })

    dev.write({ '.env': 'MARK=!' })
    await eventually(() => say(client)).toMatchObject({ said: ['two!'] })

    const graphs = { agent: './src/graph.ts:graph', another: './src/graph.ts:graph' }
    dev.write({ 'langgraph.json': JSON.stringify({ graphs }) })
    await eventually(() => say(client)).toMatchObject({ said: ['two'] })
    expect(await client.runs.wait(null, 'another', { input: {} })).toMatchObject({ said: ['two'] })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it('of any other file is none', async () => {
    const { client } = await start()
    dev.write({ 'notes.md': 'x', 'src/unused.ts': 'x', 'src/deep/data.json': '{}' })
    dev.write({ 'src/lib/word.ts': word('two') })
    await eventually(() => say(client)).toMatchObject({ said: ['two'] })
    await eventually(dev.output).toContain('runyard: src/lib/word.ts changed; reloading\n')
  })

  it('leaves no request without an answer', async () => {
    const { url, client } = await start()
    const statuses = new Set<number>()
    let isOver = false
    const headers = { 'content-type': 'application/json' }
    const ask = async () => {
      while (!isOver) {
        const response = await fetch(`${url}/threads`, { method: 'POST', headers, body: '{}' })
        statuses.add(response.status)
        await response.arrayBuffer()
      }
    }
    const asking = [ask(), ask(), ask()]
    for (const text of ['two', 'three', 'four']) {
      dev.write({ 'src/lib/word.ts': word(text) })
      await eventually(() => say(client)).toMatchObject({ said: [text] })
    }
    isOver = true
    await Promise.all(asking)
    expect([...statuses]).toEqual([200])
  })

  it('that does not load is told of, and the version before answers on', async () => {
    const { client } = await start()
    dev.write({ 'src/lib/word.ts': 'export const word = = 1' })
    await eventually(dev.output).toMatch(/src\/lib\/word\.ts:1:20: ERROR/)
    await eventually(dev.output).toMatch(
      /could not be loaded\. .* 1 error: \S+word\.ts:1:20: ERROR: .*\. Until it is mended, the version before goes on answering/,
    )
    expect(await say(client)).toMatchObject({ said: ['one'] })

    dev.write({ 'src/lib/word.ts': "export { word } from './new/word.ts'" })
    await eventually(dev.output).toMatch(/Cannot find module .*new\/word\.ts/)
    dev.write({ 'src/lib/new/word.ts': word('mended') })
    await eventually(() => say(client)).toMatchObject({ said: ['mended'] })
  })
})

describe.skipIf(NO_PYTHON)(`a change of a project in Python${skipped}`, () => {
  const AGENT = `
from langgraph.graph import MessagesState, StateGraph
from words import said
from shared.mark import MARK


async def say(state: MessagesState):
    return {"messages": [{"role": "ai", "content": said() + MARK}]}


graph = StateGraph(MessagesState).add_node(say).add_edge("__start__", "say").compile()
`
  const project = (text: string) => `def said():\n    return ${JSON.stringify(text)}\n`
  const PYTHON: ProjectFiles = {
    'langgraph.json':
      '{ "graphs": { "agent": "./agent.py:graph" }, "dependencies": [".", "./lib/shared"] }',
    'agent.py': AGENT,
    'words.py': project('one'),
    'lib/shared/__init__.py': '',
    'lib/shared/mark.py': 'MARK = "."',
  }
  let environment: string
  beforeAll(async () => {
    environment = dirname(dirname(await installHostPython()))
  }, 600_000)

  const answer = async (client: Client) => {
    const values = await client.runs.wait(null, 'agent', { input: { messages: [] } })
    return (values as { messages: { content: string }[] }).messages.at(-1)?.content
  }

  it('is taken, of a folder that it depends on too; a broken one is shown by its traceback', async () => {
    const { client } = await start(PYTHON, { env: { VIRTUAL_ENV: environment } })
    expect(await answer(client)).toBe('one.')
    dev.write({ 'words.py': project('two') })
    await eventually(() => answer(client)).toBe('two.')
    dev.write({ 'lib/shared/mark.py': 'MARK = "!"' })
    await eventually(() => answer(client)).toBe('two!')

    dev.write({ 'words.py': 'def said():\n    return nothing\n\nsaid()\n' })
    await eventually(dev.output).toMatch(/File "words\.py", line 2, in said\n {4}return nothing\n/)
    await eventually(dev.output).toContain("NameError: name 'nothing' is not defined")
    await eventually(dev.output).toContain('the version before goes on answering')
    expect(await answer(client)).toBe('two!')
    dev.write({ 'words.py': project('mended') })
    await eventually(() => answer(client)).toBe('mended!')
  })

  it('is waited for where there is no Python with LangGraph, until there is one', async () => {
    dev = startDevProcess(PYTHON, { env: { VIRTUAL_ENV: '', PATH: dirname(process.execPath) } })
    await eventually(dev.output).toMatch(/no Python with LangGraph was found: looked at .*\.venv/)
    symlinkSync(environment, join(dev.folder, '.venv'))
    const client = new Client({ apiUrl: await dev.ready, apiKey: null })
    expect(await answer(client)).toBe('one.')
  })
})

describe('a run that is under way', () => {
  it('ends in the version that it began in', async () => {
    const { client } = await start()
    const { thread_id } = await client.threads.create()
    const run = client.runs.stream(thread_id, 'agent', {
      input: { steps: 20 },
      streamMode: ['custom', 'values'],
    })
    let last: unknown
    for await (const { event, data } of run) {
      if (event === 'custom' && data === 20) dev.write({ 'src/lib/word.ts': word('two') })
      if (event === 'values') last = data
    }
    expect(last).toEqual({ steps: 0, said: Array(20).fill('one') })
    await eventually(() => say(client)).toMatchObject({ said: ['two'] })
  })

  it('and takes too long goes on in the next one; its stream misses nothing', async () => {
    const { client } = await start()
    const { thread_id } = await client.threads.create()
    const run = client.runs.stream(thread_id, 'agent', {
      // It goes on for as long as the next version takes to come.
      input: { steps: 1000, until: 'two' },
      config: { recursion_limit: 1000 },
      streamMode: 'custom',
      streamResumable: true,
      durability: 'sync',
    })
    const seen: unknown[] = []
    for await (const { event, data } of run) {
      if (event !== 'custom') continue
      seen.push(data)
      if (data === 1000) dev.write({ 'src/lib/word.ts': word('two') })
    }
    const { values } = await client.threads.getState<{ said: string[] }>(thread_id)
    const steps = values.said.map((_, i) => 1000 - i)
    // The step that was cut off is done again.
    expect(seen.filter((step, i) => step !== seen[i - 1])).toEqual(steps)
    expect(steps.length).toBeGreaterThan(1)
    expect(new Set(values.said.slice(0, -1))).toEqual(new Set(['one']))
  })
})

describe('the process', () => {
  it('waits for a project that does not load yet, and leaves nothing behind', async () => {
    dev = startDevProcess({ ...PROJECT, 'src/graph.ts': 'export const graph = 1' })
    await eventually(dev.output).toMatch(/is no LangGraph graph.*nothing answers/s)
    dev.write({ 'src/graph.ts': GRAPH })
    await dev.ready
    const { folder } = dev
    expect(await dev.stop()).toBe(0)
    await eventually(() => processesIn(folder)).toEqual([])
  })

  it('ends at once where there is no langgraph.json', async () => {
    dev = startDevProcess({}, { args: ['-c', 'missing.json'] })
    await expect(dev.ready).rejects.toThrow(/There is no missing\.json in /)
    expect(dev.process.exitCode).toBe(1)
  })

  it("takes the official server's flags, and asks for a key where there is one", async () => {
    const args = ['--no-browser', '-n', '3', '--host', 'localhost', '--data-dir', 'data']
    const { url } = await start(PROJECT, { args, env: { RUNYARD_API_KEYS: 'secret' } })
    expect((await fetch(`${url}/ok`)).status).toBe(200)
    expect((await fetch(`${url}/threads`, { method: 'POST', body: '{}' })).status).toBe(401)
    const client = new Client({ apiUrl: url, apiKey: 'secret' })
    expect(await say(client)).toMatchObject({ said: ['one'] })
  })

  it('serves without reloading with --no-reload', async () => {
    const { client } = await start(PROJECT, { args: ['--no-reload'] })
    expect(await say(client)).toMatchObject({ said: ['one'] })
  })
})
