import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runNow } from '../../../../test/support/processes/program.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { withSources } from '../../../core/named-sources.ts'
import { nameSourcesOf } from './bundled.ts'

const SOURCE = `interface Words { text: string }

export function shout({ text }: Words): never {
  throw new RangeError(text)
}
`

let dir: string
let url: string
let map: string
let forget = () => {}
const wereMapsOn = process.sourceMapsEnabled

beforeEach(async () => {
  // Vitest has switched them on: Node would name the sources.
  process.setSourceMapsEnabled(false)
  // A name that an address and a pattern would both have to escape.
  dir = join(temporaryFolder(), 'named (sources) ')
  await mkdir(dir)
  url = pathToFileURL(join(dir, 'out/bundle.mjs')).href
  map = join(dir, 'out/bundle.mjs.map')
})
afterEach(async () => {
  forget()
  process.setSourceMapsEnabled(wereMapsOn)
})

const bundle = async (entry = join(dir, 'shout.ts')) => {
  await writeFile(join(dir, 'shout.ts'), SOURCE)
  const outfile = join(dir, 'out/bundle.mjs')
  await build({
    ...{ entryPoints: [entry], outfile, format: 'esm', bundle: true, sourcemap: 'linked' },
    ...{ platform: 'node', packages: 'external' },
  })
  return (await readFile(outfile, 'utf8')).split('\n')
}

/** What the bundle throws. */
const thrown = async (): Promise<Error> => {
  const { shout } = await import(/* @vite-ignore */ url)
  try {
    shout({ text: 'too loud' })
  } catch (error) {
    return error as Error
  }
  throw new Error('It threw nothing.')
}

const firstFrame = async () => withSources((await thrown()).stack ?? '').split('\n')[1]

it('names the source of a bundle, and leaves the error as it is', async () => {
  await bundle()
  const { prepareStackTrace } = Error
  forget = nameSourcesOf(url)
  const error = await thrown()
  const [head, first] = withSources(error.stack ?? '').split('\n')
  expect(head).toBe('RangeError: too loud')
  expect(first).toBe(`    at shout (${join(dir, 'shout.ts')}:4:9)`)
  expect(error.stack).toContain(url)
  expect(Error.prepareStackTrace).toBe(prepareStackTrace)
})

it('reads the map for the first trace that needs it, and once for a failure that repeats', async () => {
  await bundle()
  await rename(map, `${map}.away`)
  forget = nameSourcesOf(url)
  const error = await thrown()
  expect(withSources('Error: elsewhere\n    at file:///other.mjs:1:1')).toContain('other.mjs:1:1')
  await rename(`${map}.away`, map)
  const first = withSources(error.stack ?? '')
  expect(first).toContain('shout.ts:4:9')
  await rm(map)
  expect(withSources(error.stack ?? '')).toBe(first)
})

it('names the bundle where there is no map', async () => {
  await bundle()
  await rm(map)
  forget = nameSourcesOf(url)
  expect(await firstFrame()).toContain(url)
})

it.each([
  ['a map that is none', () => 'no map'],
  ['a source that is no file', (text: string) => text.replace('../shout.ts', 'made:shout')],
  ['a source that has no path', (text: string) => text.replace('../shout.ts', '%zz')],
])('names the bundle where there is %s', async (_what, change) => {
  await bundle()
  await writeFile(map, change(await readFile(map, 'utf8')))
  forget = nameSourcesOf(url)
  expect(await firstFrame()).toContain(url)
})

it('gives each place of a bundle the source that Node gives it', async () => {
  const lines = await bundle(join(import.meta.dirname, '../bundle/write.ts'))
  expect(lines.length).toBeGreaterThan(300)
  const nodes = new SourceMap(JSON.parse(await readFile(map, 'utf8')))
  forget = nameSourcesOf(url)
  for (const [index, line] of lines.entries()) {
    const column = line.search(/\S/) + 1
    const entry = column > 0 && nodes.findEntry(index, column - 1)
    if (!entry || !('originalSource' in entry) || entry.generatedLine !== index) continue
    const { originalLine, originalColumn } = entry
    const at = `:${originalLine + 1}:${originalColumn + 1}`
    expect(withSources(`at ${url}:${index + 1}:${column}`)).toMatch(new RegExp(`\\.ts${at}$`))
  }
})

it.each([':', ':x', ':0:1', ':1:0', ':1', ':999999:1', ':1:1:1'])(
  'keeps %s behind the address, which is no place',
  async (rest) => {
    await bundle()
    forget = nameSourcesOf(url)
    const text = `Error\n    at ${url}${rest}`
    expect(withSources(text)).toContain(rest)
  },
)

it('names the source of an exception that ends the process', async () => {
  await bundle()
  const script = `
import { nameSourcesOf } from ${JSON.stringify(new URL('bundled.ts', import.meta.url).href)}
nameSourcesOf(${JSON.stringify(url)})
const { shout } = await import(${JSON.stringify(url)})
setTimeout(() => shout({ text: 'too loud' }))`
  const trace = `RangeError: too loud\n    at shout (${join(dir, 'shout.ts')}:4:9)`
  expect(() => runNow(process.execPath, ['--input-type=module', '-e', script])).toThrow(trace)
})

it('does nothing any more when it was closed', async () => {
  await bundle()
  nameSourcesOf(url)()
  expect(await firstFrame()).toContain(url)
})
