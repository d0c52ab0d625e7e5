/** The import table, as data: what each folder of `src/` may import of ours. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** By room: a folder of `src/`, or a file that lies in `src/` itself. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  storage: ['core'],
  queue: ['core'],
  stream: ['core'],
  project: ['core', 'settings'],
  graph: ['core', 'project'],
  'child-process': [],
  build: ['core', 'child-process'],
  runtime: ['core', 'child-process'],
  sandbox: ['core'],
  gateway: ['core'],
  http: ['core'],
  telemetry: ['core'],
  webhook: ['core'],
  settings: ['core'],
  'agent-server': ['core', 'http', 'queue', 'stream', 'graph', 'project', 'webhook'],
  'control-plane': ['core', 'http'],
  'web-socket': ['core', 'gateway'],
  workers: ['core', 'child-process', 'installation'],
  installation: ['core', 'config.ts', 'http', 'storage'],
  dev: ['core', 'project'],
  doctor: ['core', 'config.ts', 'installation', 'storage'],
  cli: ['core', 'config.ts', 'settings', 'version.ts', 'client'],
  'config.ts': ['core', 'settings'],
  'version.ts': [],
  main: ['*'],
  'main.ts': ['*'],
}

const sources = filesBelow(join(root, 'src')).filter((file) => !file.endsWith('.test.ts'))

describe('the import table', () => {
  it('has a row for everything in src', () => {
    const rooms = readdirSync(join(root, 'src')).filter((name) => !name.endsWith('.test.ts'))
    expect(rooms.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted())
  })

  it('is kept by every file', () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([])
  })

  it('is kept by the client, which imports nothing of ours', () => {
    const files = filesBelow(join(root, 'client/src'))
    const outside = files.flatMap((file) =>
      importsOf(file).filter((target) => !target.startsWith(join(root, 'client'))),
    )
    expect(outside).toEqual([])
  })

  it('would notice a forbidden import', () => {
    const storage = join(root, 'src/storage/db/db.ts')
    expect(isForbidden(storage, join(root, 'src/http/app.ts'))).toBe(true)
    expect(isForbidden(storage, join(root, 'src/core/errors.ts'))).toBe(false)
  })
})

describe('the house rules', () => {
  it('leave process.env to the configuration', () => {
    const offenders = sources.filter((file) => readFileSync(file, 'utf8').includes('process.env'))
    expect(offenders.map(nameOf)).toEqual(['src/config.ts'])
  })

  it('know no barrels and no rooms for everything', () => {
    const bad = sources.filter((file) =>
      /\/(index\.ts|(utils?|common|shared|lib)(\/|\.ts))/.test(file),
    )
    expect(bad.map(nameOf)).toEqual([])
  })
})

function forbiddenImports(file: string): string[] {
  return importsOf(file)
    .filter((target) => isForbidden(file, target))
    .map((target) => `${nameOf(file)} imports ${nameOf(target)}`)
}

function isForbidden(file: string, target: string): boolean {
  const from = roomOf(file)
  const to = roomOf(target)
  const allowed = MAY_IMPORT[from] ?? []
  return from !== to && !allowed.includes('*') && !allowed.includes(to)
}

function roomOf(file: string): string {
  const [top, second] = nameOf(file).split('/')
  return top === 'src' ? (second ?? '') : (top ?? '')
}

/** The files of ours that a file imports, as types or as values, statically or not. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
  return specifiers.map(([, specifier]) => resolve(dirname(file), specifier ?? ''))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

function nameOf(file: string): string {
  return relative(root, file)
}
