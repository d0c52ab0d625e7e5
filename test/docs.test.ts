/** The repository's texts: links lead somewhere, what they name exists, and the tour works. */
import { cpSync, existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServeProcess, startServeProcess } from './support/processes/serve-process.ts'
import { tourSteps, walk } from './support/processes/tour.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '..')
const TEXTS = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md'], { cwd: root })
const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe.each(TEXTS)('%s', (file) => {
  it('has no link that leads nowhere', () => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link ?? '')
    const local = links.filter((link) => !/^[a-z]+:/.test(link))
    expect(local.filter((link) => !existsSync(resolve(root, dirname(file), link)))).toEqual([])
  })

  it('has no link to a heading that is not there', () => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)]
    const local = links.filter(([, page = '']) => !/^[a-z]+:/.test(page))
    const missing = local.filter(([, page, anchor = '']) => {
      const target = page ? resolve(root, dirname(file), page) : join(root, file)
      return target.endsWith('.md') && !anchorsOf(readFileSync(target, 'utf8')).has(anchor)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it('names no file or folder that is neither in the repository nor beside it', () => {
    const places = [root, resolve(root, dirname(file))]
    const isThere = (path: string) => places.some((place) => existsSync(join(place, path)))
    expect(namedPaths(read(file)).filter((path) => !isThere(path))).toEqual([])
  })
})

/** The anchors of the headings, as git hosts make them: lower case, `-` for a blank, without other signs. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)
  const anchors = [...headings].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(anchors)
}

/** What stands in backticks and looks like a place in the repository; names to fill in are none. */
function namedPaths(text: string): string[] {
  const places = /`((?:src|test|docs|scripts|openapi|bin|client|bench)\/[\w./-]*)`/g
  return [...text.matchAll(places)].map(([, path]) => path ?? '')
}

it('the table of docs/rooms.md has a row for everything in src', () => {
  const rows = [...read('docs/rooms.md').matchAll(/^\| `src\/([\w.-]+)` \|/gm)]
  const named = rows.map(([, name]) => name)
  const there = globSync('src/*', { cwd: root }).filter((name) => !name.endsWith('.test.ts'))
  expect(named.toSorted()).toEqual(there.map((name) => name.slice('src/'.length)).toSorted())
})

describe('the first token of the README, and the tour', () => {
  const TOUR_MS = 400_000
  const WRITTEN_ADDRESS = 'http://127.0.0.1:8124'
  const folder = temporaryFolder()
  let runyard: ServeProcess

  beforeAll(async () => {
    cpSync(join(root, 'examples'), join(folder, 'examples'), {
      recursive: true,
      filter: (source) => !source.includes('node_modules'),
    })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    // Without a model key the example repeats what it was told, as the README shows.
    const keys = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' }
    const env = { RUNYARD_PORT: '0', RUNYARD_DATA_DIR: '', ...keys }
    const command = join(root, 'bin/runyard')
    runyard = await startServeProcess(command, ['up'], { cwd: folder, env })
  }, TOUR_MS)

  afterAll(async () => {
    // Not 0 when a part did not end in its time.
    expect(await runyard?.stop()).toBe(0)
    // Three deployments with all their packages: tens of thousands of files.
  }, TOUR_MS)

  it('works as it is written, and shows what it says', { timeout: TOUR_MS }, async () => {
    const text = read('README.md') + read('docs/tour.md')
    const steps = tourSteps(text.replaceAll(WRITTEN_ADDRESS, runyard.url))
    expect(steps.length).toBeGreaterThan(3)
    const shown = await walk(steps, { cwd: folder, timeoutMs: TOUR_MS - 10_000 })
    for (const [i, { shows }] of steps.entries()) expect(shown[i]).toMatch(shows)
  })
})
