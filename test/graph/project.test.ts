import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { AppError } from '../../src/core/errors.ts'
import { silentLog } from '../../src/core/log.ts'
import { onSource } from '../../src/graph/js/modules/hooks.ts'
import { loadProject, type Project } from '../../src/graph/js/project.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import { finishRun, readState, streamRun } from '../support/hosts/graph-runs.ts'
import { hostCallsOn } from '../support/hosts/host-calls.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROJECTS = resolve(import.meta.dirname, '../fixtures/projects')
const ROOT_PACKAGES = resolve(import.meta.dirname, '../../node_modules')

let folder: string
let store: AgentStore

beforeEach(async () => {
  folder = temporaryFolder()
  store = await openAgentStore(join(folder, 'agent.db'))
})

afterEach(async () => {
  await store.close()
})

const load = async (path: string, on = store) => {
  const config = await readProjectConfig(resolve(PROJECTS, path))
  const project = await loadProject(config, { log: silentLog })
  project.connect(hostCallsOn(on))
  return project
}

async function openGraph(project: Project, name: string, config = {}) {
  const graph = project.graphs.get(name)
  if (!graph) throw new Error(`There is no graph ${name}.`)
  return graph.open(config)
}

const refusal = (message: RegExp) =>
  expect.objectContaining({
    constructor: AppError,
    code: 'bad_request',
    message: expect.stringMatching(message),
  })

/** Real copies of LangGraph's packages, and links to all that they need. */
async function installOwnLangGraph(modules: string): Promise<void> {
  await mkdir(modules)
  const needed = (await readdir(ROOT_PACKAGES)).filter((name) => name !== '@langchain')
  await Promise.all(needed.map((name) => symlink(join(ROOT_PACKAGES, name), join(modules, name))))
  for (const name of ['core', 'langgraph', 'langgraph-checkpoint', 'langgraph-sdk', 'protocol']) {
    const path = join('@langchain', name)
    await cp(join(ROOT_PACKAGES, path), join(modules, path), { recursive: true })
  }
}

describe('a loaded project', () => {
  it('has its graphs in order, with their descriptions', async () => {
    const { graphs } = await load('echo/langgraph.json')
    expect([...graphs.keys()]).toEqual(['agent', 'slow', 'fail', 'ask', 'parent', 'tools'])
    expect(graphs.get('agent')?.description).toBeNull()
    expect(graphs.get('ask')?.description).toBe('Asks before it goes on')
  })

  it('answers, and streams every token of its model', async () => {
    const graph = await openGraph(await load('echo/langgraph.json'), 'agent')
    const input = { messages: [{ role: 'user', content: 'one two three' }] }
    const configurable = { thread_id: 't', run_id: 'r' }
    const seen = await streamRun(graph, input, { configurable, streamMode: 'messages' })
    const tokens = seen.map((pair) => (pair as [{ content: string }])[0].content)
    expect(tokens).toEqual(['echo: ', 'one ', 'two ', 'three'])
    expect(await readState(graph, 't')).toMatchObject({
      values: {
        messages: [
          { type: 'human', content: 'one two three' },
          { type: 'ai', content: 'echo: one two three' },
        ],
      },
      next: [],
    })
  })

  it('goes on from the checkpoint when a run comes again, and doubles nothing', async () => {
    const graph = await openGraph(await load('echo/langgraph.json'), 'slow')
    const first = { thread_id: 't', run_id: 'r1' }
    const input = { label: 'a', count: 2, ms: 1 }
    const stopped = { configurable: first, streamMode: 'custom', interruptAfter: ['step'] }
    expect(await streamRun(graph, input, stopped)).toEqual([{ label: 'a', step: 1 }])
    expect(await finishRun(graph, input, first)).toMatchObject({ steps: ['a:1', 'a:2'] })
    const again = await finishRun(
      graph,
      { label: 'b', count: 1, ms: 1 },
      { ...first, run_id: 'r2' },
    )
    expect(again).toMatchObject({ steps: ['a:1', 'a:2', 'b:1'] })
  })

  it('waits at an interrupt and goes on with the command', async () => {
    const project = await load('echo/langgraph.json')
    const graph = await openGraph(project, 'ask')
    await finishRun(graph, { question: 'sure?' }, { thread_id: 't', run_id: 'r1' })
    const waiting = await readState(graph, 't')
    expect(waiting).toMatchObject({ next: ['ask'], interrupts: [{ value: { question: 'sure?' } }] })
    const resume = project.command({ resume: 'yes' })
    expect(await finishRun(graph, resume, { thread_id: 't', run_id: 'r2' })).toEqual({
      question: 'sure?',
      answer: 'yes',
      steps: ['prepare', 'ask'],
    })
    expect(await readState(graph, 't')).toMatchObject({ next: [], interrupts: [] })
  })

  it('takes update and goto of a command, by name and with an input', async () => {
    const project = await load('echo/langgraph.json')
    const graph = await openGraph(project, 'parent')
    const at = (run_id: string) => ({ thread_id: 't', run_id })
    await finishRun(graph, { text: 'a' }, at('r1'))
    const jump = project.command({ update: { text: 'b' }, goto: 'child' })
    expect(await finishRun(graph, jump, at('r2'))).toMatchObject({
      text: 'B',
      steps: ['before', 'after', 'after'],
    })
    const send = project.command({ goto: [{ node: 'child', input: { text: 'sent' } }] })
    expect(await finishRun(graph, send, at('r3'))).toMatchObject({ text: 'SENT' })
  })

  it('shows the state of a subgraph that waits', async () => {
    const project = await load('echo/langgraph.json')
    const graph = await openGraph(project, 'parent')
    await finishRun(graph, { text: 'abc', ask: true }, { thread_id: 't', run_id: 'r1' })
    const state = await readState(graph, 't', true)
    expect(state.tasks[0]).toMatchObject({
      name: 'child',
      checkpoint: null,
      state: {
        values: { text: 'abc' },
        next: ['inner'],
        checkpoint: { thread_id: 't', checkpoint_ns: expect.stringMatching(/^child:/) },
      },
    })
    const resume = project.command({ resume: ' def' })
    const values = await finishRun(graph, resume, { thread_id: 't', run_id: 'r2' })
    expect(values).toMatchObject({ text: 'ABC DEF', steps: ['before', 'after'] })
  })

  it('keeps the error of a failed task', async () => {
    const graph = await openGraph(await load('echo/langgraph.json'), 'fail')
    await expect(finishRun(graph, {}, { thread_id: 't', run_id: 'r' })).rejects.toThrow(
      'failed on purpose',
    )
    const state = await readState(graph, 't')
    expect(state.tasks[0]?.error).toBe('RangeError: failed on purpose')
  })

  it('writes into the store that it was loaded with, also when it is loaded twice', async () => {
    const other = await openAgentStore(join(folder, 'other.db'))
    const first = await openGraph(await load('echo/langgraph.json'), 'slow')
    const second = await load('echo/langgraph.json', other)
    await finishRun(first, { ms: 1 }, { thread_id: 't', run_id: 'r' })
    expect((await readState(first, 't')).next).toEqual([])
    expect((await readState(await openGraph(second, 'slow'), 't')).checkpoint).toBeNull()
    await other.close()
  })
})

describe('every kind of module', () => {
  it.each([
    ['CommonJS', 'commonjs', 'agent'],
    ['CommonJS that is the graph itself', 'commonjs', 'default'],
    ['TypeScript in a package of no kind', 'typescript-commonjs', 'agent'],
  ])('loads %s, with the copy of LangGraph that it imports', async (_, project, name) => {
    const graph = await openGraph(await load(`${project}/langgraph.json`), name)
    await finishRun(graph, {}, { thread_id: 't', run_id: 'r1' })
    expect(await finishRun(graph, {}, { thread_id: 't', run_id: 'r2' })).toMatchObject({
      messages: [{ content: 'hello' }, { content: 'hello' }],
      isSameCopy: true,
    })
  })

  it('loads a project that brings its own LangGraph, and uses that one', async () => {
    const project = join(folder, 'own')
    await cp(join(PROJECTS, 'typescript-commonjs'), project, { recursive: true })
    await writeFile(join(project, 'package.json'), '{"type": "module"}')
    await installOwnLangGraph(join(project, 'node_modules'))
    const graph = await openGraph(await load(join(project, 'langgraph.json')), 'agent')
    await finishRun(graph, {}, { thread_id: 't', run_id: 'r1' })
    const values = await finishRun(graph, {}, { thread_id: 't', run_id: 'r2' })
    expect(values).toMatchObject({ isSameCopy: true })
  })

  it('loads one whose LangGraph only a dependency of it can import, and uses that one', async () => {
    const project = join(folder, 'carried')
    const store = join(project, 'node_modules/.pnpm/carrier@1/node_modules')
    await mkdir(join(store, 'carrier'), { recursive: true })
    await symlink(join(ROOT_PACKAGES, '@langchain'), join(store, '@langchain'))
    await symlink(join(store, 'carrier'), join(project, 'node_modules/carrier'))
    const files = {
      'langgraph.json': '{"graphs": {"agent": "./graph.js:graph"}}',
      'package.json': '{"type": "module", "dependencies": {"carrier": "1"}}',
      'node_modules/carrier/package.json': '{"type": "module", "exports": "./index.js"}',
      'node_modules/carrier/index.js': `export * from '@langchain/langgraph'`,
      'graph.js': `import { Annotation, BaseCheckpointSaver, StateGraph } from 'carrier'
export const graph = new StateGraph(Annotation.Root({ isSame: Annotation() }))
  .addNode('n', (_, { configurable }) => ({ isSame: configurable.__pregel_checkpointer instanceof BaseCheckpointSaver }))
  .addEdge('__start__', 'n').addEdge('n', '__end__').compile()`,
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
    const loaded = await load(join(project, 'langgraph.json'))
    expect(loaded.langgraphVersion).toMatch(/^1\./)
    const graph = await openGraph(loaded, 'agent')
    const values = await finishRun(graph, {}, { thread_id: 't', run_id: 'r' })
    expect(values).toEqual({ isSame: true })
  })

  it('resolves the aliases of tsconfig.json, early and late, and compiles what cannot be erased', async () => {
    const graph = await openGraph(await load('paths/langgraph.json'), 'agent')
    const values = await finishRun(graph, {}, { thread_id: 't', run_id: 'r' })
    expect(values).toEqual({ text: 'aliased lazily' })
  })
})

describe('every kind of file', () => {
  it.each(['ts', 'mts', 'tsx', 'cts', 'js', 'mjs', 'jsx'])('loads .%s', async (name) => {
    const graph = await openGraph(await load('kinds/langgraph.json'), name)
    const values = await finishRun(graph, {}, { thread_id: 't', run_id: 'r' })
    expect(values).toEqual({ text: name })
  })
})

describe('a package of a workspace', () => {
  let workspace: string
  beforeEach(async () => {
    workspace = join(folder, 'workspace')
    await cp(join(PROJECTS, 'workspace'), workspace, { recursive: true })
    const modules = join(workspace, 'node_modules')
    await mkdir(join(modules, '@acme'), { recursive: true })
    for (const name of ['@langchain', 'zod', 'uuid'])
      await symlink(join(ROOT_PACKAGES, name), join(modules, name))
    await symlink('../../packages/prose', join(modules, '@acme/prose'))
  })

  it.each([
    ['a tsconfig.json that extends one further up', 'agent'],
    ['no tsconfig.json but the one further up', 'plain'],
  ])('imports a sibling that is TypeScript source, with %s', async (_, name) => {
    const project = await load(join(workspace, `packages/${name}/langgraph.json`))
    const graph = await openGraph(project, 'agent')
    const values = await finishRun(graph, {}, { thread_id: 't', run_id: 'r' })
    expect(values).toMatchObject({ messages: [{ content: 'all together together' }] })
  })

  it('tells of its own files, its tsconfig.json and the siblings it imports, and of no package', async () => {
    const files: string[] = []
    onSource((file) => files.push(relative(workspace, file)))
    await load(join(workspace, 'packages/plain/langgraph.json'))
    onSource(() => {})
    expect(files.toSorted()).toEqual([
      'packages/plain/src/agent.ts',
      'packages/prose/src/index.ts',
      'packages/prose/src/words/adverb.ts',
      'tsconfig.json',
    ])
  })

  it('is refused with the file when a tsconfig.json cannot be used', async () => {
    await writeFile(join(workspace, 'packages/agent/tsconfig.json'), '{"extends": "./missing"}')
    await expect(load(join(workspace, 'packages/agent/langgraph.json'))).rejects.toEqual(
      refusal(/packages\/agent\/tsconfig\.json cannot be used: .*missing/),
    )
  })
})

describe('every kind of export', () => {
  it.each([
    ['a factory', 'sync', 'now x'],
    ['an asynchronous factory', 'greeter', 'hello x'],
    ['a graph that is not compiled', 'builder', 'built x'],
    ['a promise', 'promise', 'promised x'],
    ['a default export', 'default', 'default x'],
  ])('runs %s', async (_, name, text) => {
    const graph = await openGraph(await load('factory/langgraph.json'), name)
    const values = await finishRun(graph, { text: 'x' }, { thread_id: 't', run_id: 'r' })
    expect(values).toEqual({ text })
  })

  it('hands the config of each run to a factory, and its error to the run', async () => {
    const project = await load('factory/langgraph.json')
    const greet = (greeting: string) =>
      openGraph(project, 'greeter', { configurable: { greeting } })
    const graph = await greet('moin')
    const values = await finishRun(graph, { text: 'x' }, { thread_id: 't', run_id: 'r' })
    expect(values).toEqual({ text: 'moin x' })
    await expect(greet('rudely')).rejects.toThrow(RangeError)
  })

  it('says what a factory answered instead of a graph', async () => {
    const project = await load('factory/langgraph.json')
    await expect(openGraph(project, 'nothing')).rejects.toEqual(
      refusal(
        /"nothing": "makeNothing" of .* is no LangGraph graph: its factory answered undefined/,
      ),
    )
  })
})

describe('a project that cannot be loaded', () => {
  it.each([
    ['export', /"agent": \.\/graphs\.ts has no export "missing"; it exports graph, notAGraph,/],
    ['kind', /"notAGraph" of \.\/graphs\.ts is no LangGraph graph: the export is another object/],
    ['compile', /"unreachable" of \.\/graphs\.ts failed: .*Node `alone` is not reachable/],
    ['promise', /"rejected" of \.\/rejected\.ts failed: RangeError: rejected on purpose/],
    ['throws', /\.\/throws\.ts could not be loaded: TypeError: thrown on purpose/],
    ['syntax', /\.\/syntax\.ts could not be loaded: .*[Uu]nexpected|end of file/],
  ])('is refused with the graph, the file and the reason (%s)', async (name, message) => {
    await expect(load(`broken/${name}.json`)).rejects.toEqual(refusal(message))
  })

  it('fails with the error of its sources alone, where its bundle fails too', async () => {
    const bundlePath = join(folder, 'bundle.mjs')
    await writeFile(bundlePath, 'throw new TypeError("thrown on purpose")')
    const warned: unknown[] = []
    const log = { ...silentLog, warn: (...line: unknown[]) => warned.push(line) }
    const config = await readProjectConfig(resolve(PROJECTS, 'broken/throws.json'))
    const loading = loadProject(config, { log, bundlePath })
    await expect(loading).rejects.toEqual(refusal(/throws\.ts could not be loaded: TypeError/))
    expect(warned).toEqual([])
  })

  it('is told to install LangGraph', async () => {
    await writeFile(join(folder, 'langgraph.json'), '{"graphs": {"a": "./graph.ts:graph"}}')
    await writeFile(join(folder, 'graph.ts'), 'export const graph = {}')
    await expect(load(join(folder, 'langgraph.json'))).rejects.toEqual(
      refusal(/no @langchain\/langgraph installed: run `npm install @langchain\/langgraph @langch/),
    )
  })
})
