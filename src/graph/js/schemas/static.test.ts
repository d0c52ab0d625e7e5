import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { type Log, silentLog } from '../../../core/log.ts'
import { type JsGraphSpec, readProjectConfig } from '../../../project/config.ts'
import { isJavascript } from '../../../project/module-spec.ts'
import { staticSchemas } from './static.ts'

/** The compiler takes seconds, more beside other tests. */
const SLOW = 60_000

let specs: JsGraphSpec[]

beforeAll(async () => {
  const project = new URL(
    '../../../../test/fixtures/projects/schemas/langgraph.json',
    import.meta.url,
  )
  const { graphs } = await readProjectConfig(fileURLToPath(project))
  specs = graphs.filter(isJavascript)
})

/** A fresh one each time: what is known of a graph belongs to its spec. */
function specOf(graph_id: string, change: Partial<JsGraphSpec> = {}): JsGraphSpec {
  const spec = specs.find((one) => one.graph_id === graph_id)
  if (!spec) throw new Error(`The project has no graph "${graph_id}".`)
  return { ...spec, ...change }
}

function recordingLog(): { log: Log; warnings: unknown[] } {
  const warnings: unknown[] = []
  return { log: { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) }, warnings }
}

// First: what was read for another graph is not read again, and it would be over too soon.
test('the event loop is left free during the analysis', { timeout: SLOW }, async () => {
  // In processor time, which a machine that is busy with something else does not take.
  const started = process.cpuUsage()
  const before = process.threadCpuUsage()
  await staticSchemas(specOf('annotated'), [], { log: silentLog })
  expect(process.threadCpuUsage(before).user).toBeLessThan(process.cpuUsage(started).user / 2)
})

test('a graph is analysed once, whoever asks', { timeout: SLOW }, async () => {
  const spec = specOf('outer')
  const first = staticSchemas(spec, ['inner', 'inner|deepest', 'none'], { log: silentLog })
  const second = staticSchemas(spec, ['inner', 'inner|deepest', 'none'], { log: silentLog })
  expect(second).toBe(first)
  const { subgraphs } = await first
  expect(Object.keys(subgraphs)).toEqual(['inner', 'inner|deepest'])
})

test('an analysis that takes too long is given up, and not begun again', async () => {
  const { log, warnings } = recordingLog()
  const spec = specOf('annotated')
  const nothing = { graph: {}, subgraphs: {} }
  expect(await staticSchemas(spec, [], { log, timeoutMs: 1 })).toEqual(nothing)
  expect(await staticSchemas(spec, [], { log, timeoutMs: 1 })).toEqual(nothing)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatchObject({ graph_id: 'annotated', err: expect.any(Error) })
})

test('an export that is not in the source has no schemas', { timeout: SLOW }, async () => {
  const spec = specOf('annotated', { exportName: 'none' })
  expect(await staticSchemas(spec, ['a'], { log: silentLog })).toEqual({ graph: {}, subgraphs: {} })
})
