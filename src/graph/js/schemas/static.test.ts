import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { type Log, silentLog } from '../../../core/log.ts'
import { type GraphSpec, readProjectConfig } from '../../../project/config.ts'
import { staticSchemas } from './static.ts'

/** The compiler takes seconds, more beside other tests. */
const SLOW = 60_000

let specs: GraphSpec[]

beforeAll(async () => {
  const project = new URL(
    '../../../../test/fixtures/projects/schemas/langgraph.json',
    import.meta.url,
  )
  specs = (await readProjectConfig(fileURLToPath(project))).graphs
})

/** A fresh one each time: what is known of a graph belongs to its spec. */
function specOf(graph_id: string, change: Partial<GraphSpec> = {}): GraphSpec {
  const spec = specs.find((one) => one.graph_id === graph_id)
  if (!spec) throw new Error(`The project has no graph "${graph_id}".`)
  return { ...spec, ...change }
}

function recordingLog(): { log: Log; warnings: unknown[] } {
  const warnings: unknown[] = []
  return { log: { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) }, warnings }
}

// First: what was read for another graph is not read again, and it would be over too soon.
test('the event loop goes on during the analysis', { timeout: SLOW }, async () => {
  let longest = 0
  let before = performance.now()
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - before)
    before = performance.now()
  }, 5)
  const started = performance.now()
  await staticSchemas(specOf('annotated'), [], { log: silentLog })
  clearInterval(timer)
  expect(longest).toBeLessThan((performance.now() - started) / 2)
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
