import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { LineMap } from './source-map.ts'

/** Any source of some size. */
const ENTRY = join(import.meta.dirname, '../bundle/write.ts')

let text: string
let lines: string[]
beforeAll(async () => {
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const
  const { outputFiles } = await build({
    ...options,
    entryPoints: [ENTRY],
    outfile: 'bundle.mjs',
    sourcemap: 'external',
    write: false,
  })
  const [map, bundle] = outputFiles
  text = map?.text ?? ''
  lines = bundle?.text.split('\n') ?? []
})

/** By Node's own map. */
function entryOf(map: SourceMap, line: number, column: number) {
  const entry = map.findEntry(line - 1, column - 1)
  // Node goes on with the line before, which says nothing about this one.
  if (!('originalSource' in entry) || entry.generatedLine !== line - 1) return undefined
  const { originalSource: source, originalLine, originalColumn } = entry
  return source && { source, line: originalLine + 1, column: originalColumn + 1 }
}

it.each([
  ['in order', (numbers: number[]) => numbers],
  ['from the end', (numbers: number[]) => numbers.toReversed()],
])('says of each place of a bundle what Node says, %s', (_order, arrange) => {
  const [own, nodes] = [new LineMap(text), new SourceMap(JSON.parse(text))]
  expect(lines.length).toBeGreaterThan(300)
  for (const line of arrange(Array.from(lines, (_, index) => index + 1))) {
    const columns = Array.from(lines[line - 1] ?? '', (_, index) => index + 1)
    const told = columns.map((column) => own.originOf(line, column))
    expect({ line, told }).toEqual({ line, told: columns.map((one) => entryOf(nodes, line, one)) })
  }
})

it.each([
  [0, 1],
  [1, 0],
  [1, 10_000],
  [1_000_000, 1],
])('says nothing of line %d, column %d, and goes on', (line, column) => {
  const map = new LineMap(JSON.stringify({ sources: ['a.ts'], mappings: 'AAAA,EAAC,C;AAAD' }))
  expect(map.originOf(line, column)).toBeUndefined()
  expect(map.originOf(2, 1)).toEqual({ source: 'a.ts', line: 1, column: 1 })
})

it.each([
  ['a source that is not listed', 'AEAA'],
  ['a number that is cut off', 'gggggg'],
  ['nothing', ''],
])('knows no origin by mappings with %s', (_what, mappings) => {
  const map = new LineMap(JSON.stringify({ sources: ['a.ts'], mappings }))
  expect(map.originOf(1, 1)).toBeUndefined()
  expect(map.originOf(90, 1)).toBeUndefined()
})

it('ends with mappings that are none', () => {
  const map = new LineMap(JSON.stringify({ sources: ['a.ts'], mappings: '☃!ä,,;{}' }))
  expect(() => map.originOf(90, 1)).not.toThrow()
})

it.each(['no map', '{}', 'null'])('refuses %s', (broken) => {
  expect(() => new LineMap(broken)).toThrow()
})
