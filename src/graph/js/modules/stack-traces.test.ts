import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runNow } from '../../../../test/support/program.ts'
import { nameSourcesOf } from './stack-traces.ts'

const SOURCE = `interface Words { text: string }

export function shout({ text }: Words): never {
  throw new RangeError(text)
}
`

let dir: string
let url: string
let forget = () => {}
const wereMapsOn = process.sourceMapsEnabled

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'traces-'))
  url = pathToFileURL(join(dir, 'out/bundle.mjs')).href
})
// Other files have their tests in this process too.
afterEach(async () => {
  forget()
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  process.setSourceMapsEnabled(wereMapsOn)
  await rm(dir, { recursive: true, force: true })
})

const bundle = async (source = SOURCE) => {
  await writeFile(join(dir, 'shout.ts'), source)
  const entryPoints = [join(dir, 'shout.ts')]
  const outfile = join(dir, 'out/bundle.mjs')
  await build({ entryPoints, outfile, format: 'esm', bundle: true, sourcemap: 'linked' })
}

/** The trace of what the bundle throws. */
const traceOf = async () => {
  const { shout } = await import(/* @vite-ignore */ url)
  try {
    shout({ text: 'too loud' })
  } catch (error) {
    return (error as Error).stack ?? ''
  }
  throw new Error('It threw nothing.')
}

it('names the source of a bundle', async () => {
  await bundle()
  forget = nameSourcesOf(url)
  const [head, first] = (await traceOf()).split('\n')
  expect(head).toBe('RangeError: too loud')
  expect(first).toBe(`    at shout (${join(dir, 'shout.ts')}:4:9)`)
})

it('names the bundle where there is no map', async () => {
  await bundle()
  await rm(join(dir, 'out/bundle.mjs.map'))
  forget = nameSourcesOf(url)
  expect((await traceOf()).split('\n')[1]).toContain(url)
})

/** Node makes an error for released readers once in a process: this one is of others too. */
it('reads no map for a stream that is released', async () => {
  const released = `${SOURCE}export const release = () => new ReadableStream().getReader().releaseLock()\n`
  await bundle(released)
  const map = join(dir, 'out/bundle.mjs.map')
  // While it is away, a reader would find none and look no more.
  await rename(map, `${map}.away`)
  const script = `
import { renameSync } from 'node:fs'
import { nameSourcesOf } from ${JSON.stringify(new URL('stack-traces.ts', import.meta.url).href)}
nameSourcesOf(${JSON.stringify(url)})
const { release, shout } = await import(${JSON.stringify(url)})
release()
renameSync(${JSON.stringify(`${map}.away`)}, ${JSON.stringify(map)})
try { shout({ text: 'too loud' }) } catch (error) { console.log(error.stack) }`
  const trace = runNow(process.execPath, ['--input-type=module', '-e', script])
  expect(trace).toContain(`${join(dir, 'shout.ts')}:4:9`)
})

it.each([
  ['a map that is none', () => 'no map'],
  ['a source that is no file', (map: string) => map.replace('../shout.ts', 'made:shout')],
  ['a source that has no path', (map: string) => map.replace('../shout.ts', '%zz')],
])('names the bundle where there is %s', async (_what, change) => {
  await bundle()
  const path = join(dir, 'out/bundle.mjs.map')
  await writeFile(path, change(await readFile(path, 'utf8')))
  forget = nameSourcesOf(url)
  expect((await traceOf()).split('\n')[1]).toContain(url)
})

it.each([
  ['an error', () => new TypeError('no such thing')],
  ['an error without a message', () => new Error()],
  ['one of Node', () => thrownBy(() => new URL('no address'))],
  ['one with a code', () => Object.assign(new Error('gone'), { code: 'ENOENT' })],
  ['what is no error', () => capture({ name: 'Told', message: 'so' })],
])('begins the trace of %s as Node does', (_what, make) => {
  const [head, ...frames] = linesOf(make().stack)
  forget = nameSourcesOf(url)
  const [first, ...others] = linesOf(make().stack)
  expect(first).toBe(head)
  expect(others).toHaveLength(frames.length)
})

it('names the sources of other files that Node knows', async () => {
  process.setSourceMapsEnabled(true)
  await bundle()
  forget = nameSourcesOf('file:///another/bundle.mjs')
  expect((await traceOf()).split('\n')[1]).toContain(`${join(dir, 'shout.ts')}:4:9`)
})

it('does nothing any more when it is told so', () => {
  nameSourcesOf(url)()
  expect(Error.prepareStackTrace).toBeUndefined()
})

it('leaves to another who has taken its place', () => {
  const stop = nameSourcesOf(url)
  const others = () => 'another trace'
  Error.prepareStackTrace = others
  stop()
  expect(Error.prepareStackTrace).toBe(others)
})

function thrownBy(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('It threw nothing.')
}

function capture<Thing extends object>(thing: Thing): Thing & { stack?: string } {
  Error.captureStackTrace(thing)
  return thing
}

const linesOf = (stack = '') => stack.split('\n')
