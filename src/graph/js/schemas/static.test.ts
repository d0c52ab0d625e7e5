import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type Log, silentLog } from '../../../core/log.ts'
import { type JsGraphSpec, readProjectConfig } from '../../../project/config.ts'
import { isJavascript } from '../../../project/module-spec.ts'
import { keyOf, writeKept, writingBuilt } from './kept.ts'
import { StaticSchemas } from './static.ts'

/** The compiler takes seconds, more beside other tests. */
const SLOW = 120_000

const NOTHING = { graph: {}, subgraphs: {} }

let graphs: JsGraphSpec[]
let folder: string
let keptAt: string

beforeAll(async () => {
  const project = new URL(
    '../../../../test/fixtures/projects/schemas/langgraph.json',
    import.meta.url,
  )
  const config = await readProjectConfig(fileURLToPath(project))
  graphs = config.graphs.filter(isJavascript)
})
beforeEach(() => {
  folder = temporaryFolder()
  keptAt = join(folder, 'schemas.json')
})

function specOf(graph_id: string): JsGraphSpec {
  const spec = graphs.find((one) => one.graph_id === graph_id)
  if (!spec) throw new Error(`The project has no graph "${graph_id}".`)
  return spec
}

function recordingLog(): { log: Log; warnings: unknown[] } {
  const warnings: unknown[] = []
  return { log: { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) }, warnings }
}

/** A graph in a file of its own, which a test may change. The compiler reads no more than it must. */
async function writeGraph(field: string): Promise<JsGraphSpec> {
  const file = join(folder, 'graph.ts')
  const tsconfig = { compilerOptions: { lib: ['es5'], types: [] } }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  await writeFile(file, `export const graph = {} as { '~InputType': { ${field}: string } }\n`)
  return { ...specOf('annotated'), file, path: './graph.ts', exportName: 'graph' }
}

test(
  'all graphs of a project are read in one go, and the event loop is left free',
  async () => {
    const schemas = new StaticSchemas({ graphs, log: silentLog })
    // In processor time, which a machine that is busy with something else does not take.
    const started = process.cpuUsage()
    const before = process.threadCpuUsage()
    const outer = await schemas.of(specOf('outer'))
    expect(process.threadCpuUsage(before).user).toBeLessThan(process.cpuUsage(started).user / 2)
    const first = process.cpuUsage()
    const annotated = await schemas.of(specOf('annotated'))
    expect(process.cpuUsage(first).user).toBeLessThan(50_000)
    expect(Object.keys(outer.subgraphs)).toEqual(expect.arrayContaining(['inner', 'inner|deepest']))
    expect(annotated.graph).toHaveProperty('input_schema')
  },
  SLOW,
)

test('an analysis that takes too long is given up, and not begun again', async () => {
  const { log, warnings } = recordingLog()
  const schemas = new StaticSchemas({ graphs, log, timeoutMs: 1 })
  expect(await schemas.of(specOf('annotated'))).toEqual(NOTHING)
  expect(await schemas.of(specOf('outer'))).toEqual(NOTHING)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatchObject({ err: expect.any(Error) })
})

test(
  'an export that is not in the source has no schemas',
  async () => {
    const spec = { ...(await writeGraph('own')), exportName: 'none' }
    const schemas = new StaticSchemas({ graphs: [spec], log: silentLog })
    expect(await schemas.of(spec)).toEqual(NOTHING)
  },
  SLOW,
)

test(
  'what was read is kept for the next start, until a file changes',
  async () => {
    const spec = await writeGraph('before')
    const read = () => new StaticSchemas({ graphs: [spec], keptAt, log: silentLog }).of(spec)
    const first = await read()
    expect(first.graph.input_schema).toHaveProperty('properties.before')
    // A mark, so that the file is seen to be what answers.
    const kept = JSON.parse(await readFile(keptAt, 'utf8'))
    kept.graphs[keyOf(spec)].graph.input_schema.title = 'kept'
    await writeFile(keptAt, JSON.stringify(kept))
    expect((await read()).graph.input_schema).toHaveProperty('title', 'kept')
    await writeGraph('after')
    expect((await read()).graph.input_schema).toHaveProperty('properties.after')
  },
  SLOW,
)

test(
  'what a build has written is taken, and what it has not written is read',
  async () => {
    const spec = await writeGraph('own')
    const builtAt = join(folder, 'built.json')
    const read = () => new StaticSchemas({ graphs: [spec], builtAt, log: silentLog }).of(spec)
    expect((await read()).graph.input_schema).toHaveProperty('properties.own')
    const written = { graph: { input_schema: { title: 'built' } }, subgraphs: {} }
    await writeKept(builtAt, { [keyOf(spec)]: written })
    expect(await read()).toEqual(written)
    await writeFile(builtAt, '{ "format": 1, "graphs"')
    expect((await read()).graph.input_schema).toHaveProperty('properties.own')
  },
  SLOW,
)

test('what a build is still writing is waited for', async () => {
  const spec = await writeGraph('own')
  const builtAt = join(folder, 'built.json')
  const written = { graph: { input_schema: { title: 'built' } }, subgraphs: {} }
  const mayWrite = Promise.withResolvers<void>()
  const isMarked = Promise.withResolvers<void>()
  const writing = writingBuilt(builtAt, async () => {
    isMarked.resolve()
    await mayWrite.promise
    await writeKept(builtAt, { [keyOf(spec)]: written })
  })
  await isMarked.promise
  const found = new StaticSchemas({ graphs: [spec], builtAt, log: silentLog }).of(spec)
  mayWrite.resolve()
  expect(await found).toEqual(written)
  await writing
  expect(await readdir(folder)).not.toContain('built.json.coming')
})

test(
  'schemas whose writer died are read in the sources',
  async () => {
    const spec = await writeGraph('own')
    const builtAt = join(folder, 'built.json')
    await writeFile(`${builtAt}.coming`, '')
    const long = new Date(Date.now() - 61_000)
    await utimes(`${builtAt}.coming`, long, long)
    const found = await new StaticSchemas({ graphs: [spec], builtAt, log: silentLog }).of(spec)
    expect(found.graph.input_schema).toHaveProperty('properties.own')
  },
  SLOW,
)

test(
  'schemas that are read ahead are there when they are asked for',
  async () => {
    const schemas = new StaticSchemas({
      graphs: [await writeGraph('ahead')],
      keptAt,
      log: silentLog,
    })
    schemas.begin()
    await expect.poll(() => readFile(keptAt, 'utf8').catch(() => '')).toContain('ahead')
  },
  SLOW,
)
