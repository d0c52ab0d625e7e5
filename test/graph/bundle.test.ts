/** A project answers the same whether its modules come out of a bundle or from their own files. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unpackOwn } from '../../src/artifacts/archive/unpack-own.ts'
import { packFolder } from '../../src/artifacts/pack.ts'
import { bundlePath, bundleProject } from '../../src/graph/js/bundle/write.ts'
import { builtSchemasPath } from '../../src/graph/js/schemas/kept.ts'
import { bundle as build } from '../../src/main/builds/bundle.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { MANY_SIDED, writeFiles, writeProject } from '../support/hosts/bundled-project.ts'
import {
  GATEWAY,
  type ManagedServe,
  startManagedServe,
} from '../support/processes/managed-serve.ts'
import { run } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULES = resolve(import.meta.dirname, '../../node_modules')
const LOAD = resolve(import.meta.dirname, '../support/hosts/load-layouts.ts')
const ANN = { authorization: 'Bearer ann', ...GATEWAY }

let dir: string
let root: string
let child: ChildProcess | undefined

beforeEach(() => {
  dir = temporaryFolder()
  root = join(dir, 'project')
})
afterEach(async () => {
  child?.kill('SIGKILL')
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

  it('prints stack traces that name the bundle, and its sources if its variables ask for that', async () => {
    const shout =
      "interface Words {}\nexport const shout = (text: string) => {\n  console.error(new RangeError('seen'))\n  return text\n}\n"
    await writeProject(root, { ...MANY_SIDED, 'src/words/shout.ts': shout })
    await bundle()
    const file = bundlePath(join(root, 'langgraph.json'))
    const printed = async (secrets: Record<string, string>) => {
      const { url, output } = await start(file, secrets)
      await fetch(`${url}/page`, { headers: ANN })
      await expect.poll(output).toMatch(/RangeError: seen\n +at shout .*\n/)
      const ended = child && once(child, 'close')
      child?.kill('SIGKILL')
      await ended
      await rm(join(dir, 'data-false'), { recursive: true })
      return output()
    }
    expect(await printed({})).toMatch(/RangeError: seen\n +at shout .*bundle\.mjs:\d/)
    const named = await printed({ NODE_OPTIONS: '--enable-source-maps' })
    expect(named).toMatch(/RangeError: seen\n +at shout .*src\/words\/shout\.ts:3:/)
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

describe('a bundle without the packages that are in it', { timeout: 400_000 }, () => {
  /** As a pod has it: packed, and unpacked elsewhere. */
  async function carried(): Promise<string> {
    await writeProject(root, MANY_SIDED)
    await build(join(root, 'langgraph.json'))
    const file = join(dir, 'packed.tar.gz')
    await packFolder(root, file, { bundle: 'node_modules/.runyard/bundle.mjs' })
    await rm(root, { recursive: true })
    const signal = AbortSignal.timeout(60_000)
    await unpackOwn(file, root, { path: process.env.PATH ?? '', signal })
    return bundlePath(join(root, 'langgraph.json'))
  }

  it('answers the same, its schemas too', async () => {
    const path = await carried()
    expect(await readdir(join(root, 'node_modules'))).toEqual(['.runyard', 'beside'])
    const { answers, output } = await tour(path)
    expect(answers).toMatchObject({
      modern: { seen: 'modern true beside AIMessage' },
      old: { text: 'xfunction' },
      page: [200, '<b>HELLO</b>'],
      schemas: [200, expect.stringContaining('seen')],
    })
    expect(output).not.toContain('The bundle could not be used')
  })

  it('is left for the sources where it does not work, which are unpacked with the packages', async () => {
    const path = await carried()
    await writeFile(path, 'throw new Error("no good")')
    // Links that lead out of the project are not packed.
    await symlink(MODULES, join(dir, 'node_modules'))
    const { answers, output } = await tour(path)
    expect(answers).toMatchObject({ old: { text: 'xfunction' } })
    expect(output).toContain('The bundle could not be used')
    expect(await readdir(join(dir, 'data-false/project/node_modules/beside'))).toHaveLength(3)
  })

  const files = {
    'langgraph.json': '{ "graphs": { "g": "./graph.ts:graph" } }',
    'page.tsx': 'export default {}',
    'node_modules/starts/package.json': '{ "name": "starts", "main": "index.js" }',
    'node_modules/starts/index.js': "exports.run = require('child_process').exec",
    'node_modules/@acme/model/package.json': '{ "name": "@acme/model" }',
    'node_modules/langchain/package.json': '{ "name": "langchain" }',
    'node_modules/langchain/dist/chat_models/universal.js':
      'exports.load = (name) => import({ acme: "@acme/model/chat" }[name])',
    'node_modules/loose/package.json': '{ "name": "loose", "main": "index.js" }',
    'node_modules/loose/index.js': "exports.at = __dirname; require('.loose/made')",
    'node_modules/.loose/made.js': '',
    'node_modules/spawns/package.json': '{ "name": "spawns", "main": "index.js" }',
    'node_modules/spawns/index.js': 'exports.at = __dirname; require("node:child_process")',
  }

  it.each([
    ['starts programs', "import 'node:child_process'", 'graph.ts imports node:child_process'],
    ['has workers', "export { Worker } from 'worker_threads'", 'graph.ts imports worker_threads'],
    ['reads packages', "export const at = 'node_modules/x'", 'graph.ts names node_modules'],
    ['lets a package start programs', "import 'starts'", 'starts/index.js imports child_process'],
    [
      'lets a package import by name',
      "import 'langchain/dist/chat_models/universal.js'",
      'universal.js may import @acme/model/chat',
    ],
    [
      'has a package outside that imports what it does not name',
      "import { at } from 'loose'\nexport { at }",
      'loose/index.js imports .loose',
    ],
    [
      'has a package outside that starts programs',
      "import { at } from 'spawns'\nexport { at }",
      'spawns/index.js imports "node:child_process"',
    ],
  ])('is not enough for a project that %s', async (_what, code, need) => {
    const graph = { 'graph.ts': `${code}\nexport const graph = {}\n` }
    await writeFiles(root, { ...files, ...graph })
    expect(await bundle()).toMatchObject({ need: expect.stringContaining(need) })
  })

  it('is not enough for components of pages, and for nothing else it is', async () => {
    await writeFiles(root, { ...files, 'graph.ts': 'export const graph = {}\n' })
    expect(await bundle()).toMatchObject({ need: undefined })
    const ui = '{ "graphs": { "g": "./graph.ts:graph" }, "ui": { "g": "./page.tsx" } }'
    await writeFiles(root, { 'langgraph.json': ui })
    expect(await bundle()).toMatchObject({ need: expect.stringContaining('"ui"') })
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

  it.each([
    ['no file', 'graph.ts:1:8: Could not resolve "./missing.ts"', "import './missing.ts'"],
    [
      'no plugin file',
      'graph.ts:1:8: Could not resolve "./plugins/foo.js"',
      "import './plugins/foo.js'",
    ],
    ['no code', 'graph.ts:1:7: Expected identifier but found "="', 'const = 1'],
  ])('of a project that has %s in its own files, which is broken', async (_what, reason, code) => {
    await writeFiles(root, graph(code))
    expect(await bundle()).toEqual({ reason, isBroken: true })
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

async function start(bundlePath?: string, secrets = {}): Promise<ManagedServe> {
  const dataDir = join(dir, `data-${bundlePath === undefined}`)
  await mkdir(dataDir)
  const configPath = join(root, 'langgraph.json')
  const started = await startManagedServe({
    configPath,
    dataDir,
    ...(bundlePath !== undefined && { bundlePath, message: { sourceRoot: root, secrets } }),
  })
  child = started.process
  return started
}
