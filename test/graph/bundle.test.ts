/** A project answers the same whether its modules come out of a bundle or from their own files. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundlePath, bundleProject } from '../../src/graph/js/bundle/write.ts'
import { builtSchemasPath } from '../../src/graph/js/schemas/kept.ts'
import { bundle as build } from '../../src/main/builds/bundle.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { MANY_SIDED, writeFiles, writeProject } from '../support/bundled-project.ts'
import { GATEWAY, type ManagedServe, startManagedServe } from '../support/managed-serve.ts'
import { run } from '../support/program.ts'

const LOAD = resolve(import.meta.dirname, '../support/load-layouts.ts')
const ANN = { authorization: 'Bearer ann', ...GATEWAY }

let dir: string
let root: string
let child: ChildProcess | undefined

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bundle-'))
  root = join(dir, 'project')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(dir, { recursive: true, force: true })
})

const bundle = async () => bundleProject(await readProjectConfig(join(root, 'langgraph.json')))

describe('a bundled project', { timeout: 400_000 }, () => {
  it('answers what the project answers from its sources', async () => {
    await writeProject(root, MANY_SIDED)
    const made = await bundle()
    expect(made).toMatchObject({ external: ['beside'] })
    const bundled = await tour(bundlePath(join(root, 'langgraph.json')))
    const loaded = await tour()
    expect(bundled.answers).toEqual(loaded.answers)
    expect(bundled.answers).toMatchObject({
      modern: { seen: 'modern true beside AIMessage' },
      old: { text: 'xfunction' },
      page: [200, '<b>HELLO</b>'],
      stranger: [401, expect.stringContaining('nobody')],
    })
    // The one uses tsx, and the other does not.
    expect(loaded.output).not.toContain('The bundle could not be used')
    expect(bundled.output).not.toContain('The bundle could not be used')
    expect(bundled.output).toMatch(/RangeError: too loud[\s\S]*src\/words\/shout\.ts:4:/)
  })

  it('answers the schemas that its build has read in the sources', async () => {
    await writeProject(root, MANY_SIDED)
    const configPath = join(root, 'langgraph.json')
    await build(configPath)
    const path = builtSchemasPath(configPath)
    const built = JSON.parse(await readFile(path, 'utf8'))
    const { graph } = built.graphs['./src/modern.ts:graph']
    expect(graph.state_schema.properties).toHaveProperty('seen')
    // A mark, so that nothing else can have answered.
    graph.state_schema.title = 'of the build'
    await writeFile(path, JSON.stringify(built))
    expect((await tour(bundlePath(configPath))).answers.schemas[1]).toContain('of the build')
  })

  it('is loaded from its sources where the bundle does not work', async () => {
    await writeProject(root, MANY_SIDED)
    const path = join(dir, 'bundle.mjs')
    await writeFile(path, 'throw new Error("no good")')
    const { answers, output } = await tour(path)
    expect(answers).toMatchObject({ old: { text: 'xfunction' } })
    expect(output).toContain('The bundle could not be used')
  })
})

describe('no bundle is written', () => {
  const graph = (code: string) => ({
    'langgraph.json': '{ "graphs": { "g": "./graph.ts:graph" } }',
    'graph.ts': `${code}\nexport const graph = {}\n`,
  })
  const native = {
    'node_modules/native/package.json': JSON.stringify({
      name: 'native',
      main: 'index.js',
      peerDependencies: { '@langchain/core': '1' },
    }),
    'node_modules/native/index.js': "module.exports = require('./built.node')",
    'node_modules/native/built.node': '',
    'node_modules/@langchain/core/package.json': '{ "name": "@langchain/core" }',
  }

  it.each([
    ['its own place', 'graph.ts uses its own place', 'export const at = import.meta'],
    [
      'a path of its own',
      'graph.ts uses its own place',
      "export const at = require.resolve('./x')",
    ],
    [
      'any file',
      'an import() of what is not written there',
      'export const f = (n: string) => import(n)',
    ],
    ['what is not there', 'Could not resolve "./missing.ts"', "import './missing.ts'"],
    ['no code', 'graph.ts:1: ', 'const = 1'],
    [
      'a native module on LangChain',
      'node_modules/native/index.js uses a native module, and its package depends on @langchain/core',
      "import 'native'",
    ],
  ])('of a project that imports %s', async (_what, reason, code) => {
    await writeFiles(root, { ...graph(code), ...native })
    expect(await bundle()).toEqual({ reason: expect.stringContaining(reason) })
    expect(await readdir(join(root, 'node_modules/.runyard')).catch(() => [])).toEqual([])
  })

  it('of words in a comment', async () => {
    await writeFiles(root, graph('// import.meta.url, import(name), __dirname\n/* require(x) */'))
    expect(await bundle()).toMatchObject({ external: [] })
  })
})

it('bundles a text that tells how to import, as it is', async () => {
  const telling = `export const tell = (skill: string) => \`await import("@/skills/\${skill}")\``
  await writeFiles(root, {
    'langgraph.json': '{ "graphs": { "g": "./graph.ts:graph" } }',
    'graph.ts': `${telling}\nexport { told } from 'told'\nexport const graph = {}\n`,
    'node_modules/told/package.json': JSON.stringify({
      ...{ name: 'told', type: 'module', main: 'index.js' },
      peerDependencies: { '@langchain/core': '1' },
    }),
    'node_modules/told/index.js': `
const core = '@langchain/core'
export const told = (skill) => [core, \`await import("@/tools/\${skill}")\`]`,
    'node_modules/@langchain/core/package.json': '{ "name": "@langchain/core" }',
  })
  expect(await bundle()).toMatchObject({ external: [] })
  const text = await readFile(bundlePath(join(root, 'langgraph.json')), 'utf8')
  for (const folder of ['skills', 'tools']) expect(text).toContain(`\`await import("@/${folder}/`)
})

it('leaves a package that is not there to the code that looks for it', async () => {
  await writeFiles(root, {
    'langgraph.json': '{ "graphs": { "g": "./graph.ts:graph" } }',
    'graph.ts': "export const absent = () => import('absent')\nexport const graph = {}\n",
  })
  expect(await bundle()).toMatchObject({ external: [] })
  const text = await readFile(bundlePath(join(root, 'langgraph.json')), 'utf8')
  expect(text).toContain('import("absent")')
})

it('bundles what a package on LangChain finds in a table, with one core', async () => {
  const manifest = (name: string) =>
    JSON.stringify({
      name,
      type: 'module',
      main: 'index.js',
      peerDependencies: { '@langchain/core': '1' },
    })
  await writeProject(root, {
    'package.json': '{ "type": "module" }',
    'langgraph.json': '{ "graphs": { "g": "./graph.ts:graph" } }',
    'graph.ts': `
import { AIMessage } from '@langchain/core/messages'
import { init } from 'table'
export const graph = async () => {
  const absent = await init('absent').catch(({ code, message }) => [code, message.split(' imported')[0]])
  return [(await init('model')) instanceof AIMessage, absent]
}`,
    'node_modules/table/package.json': manifest('table'),
    // As \`langchain/chat_models/universal\` has one of all models.
    'node_modules/table/index.js': `
import '@langchain/core/messages'
const TABLE = { model: { package: '@acme/model' }, absent: { package: "@acme/absent" } }
export const init = async (name) => (await import(TABLE[name].package)).make()
`,
    'node_modules/@acme/model/package.json': manifest('@acme/model'),
    'node_modules/@acme/model/index.js': `
import { AIMessage } from '@langchain/core/messages'
export const make = () => new AIMessage('x')
`,
  })
  expect(await bundle()).toMatchObject({ external: [] })
  const load = (way: string) => run(process.execPath, [LOAD, way, join(root, 'langgraph.json')])
  const missing = ['ERR_MODULE_NOT_FOUND', "Cannot find package '@acme/absent'"]
  for (const way of ['bundle', 'sources'])
    expect(JSON.parse(await load(way))).toEqual({ g: [true, missing] })
})

/** What the project says to a client, started as the driver of a control plane starts it. */
async function tour(bundlePath?: string) {
  const { url, output } = await start(bundlePath)
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, { headers: ANN, ...init })
    return [response.status, await response.text()] as const
  }
  const run = async (assistant_id: string, input: object) => {
    const headers = { ...ANN, 'content-type': 'application/json' }
    const body = JSON.stringify({ assistant_id, input })
    const [, text] = await call('/runs/wait', { method: 'POST', headers, body })
    return withoutIds(JSON.parse(text))
  }
  const { assistant_id } = JSON.parse((await call('/assistants/search', searchFor('modern')))[1])[0]
  const answers = {
    modern: await run('modern', { messages: [{ role: 'user', content: 'hi' }] }),
    old: await run('old', { text: 'x' }),
    failed: await run('modern', { messages: [{ role: 'user', content: 'boom' }] }),
    page: await call('/page'),
    stranger: await call('/threads/x', { headers: GATEWAY }),
    schemas: await call(`/assistants/${assistant_id}/schemas`),
  }
  const ended = child && once(child, 'close')
  child?.kill('SIGKILL')
  await ended
  return { answers, output: output() }
}

function searchFor(graph_id: string): RequestInit {
  const headers = { ...ANN, 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify({ graph_id }) }
}

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, field) => (key === 'id' ? undefined : field)))
}

async function start(bundlePath?: string): Promise<ManagedServe> {
  const dataDir = join(dir, `data-${bundlePath === undefined}`)
  await mkdir(dataDir)
  const configPath = join(root, 'langgraph.json')
  const started = await startManagedServe({
    configPath,
    dataDir,
    ...(bundlePath !== undefined && { bundlePath }),
  })
  child = started.process
  return started
}
