/** The import table is kept by every file, and no file imports itself by way of others. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PATCHES } from '../src/core/agent/host/patches.ts'
import { FLOORS, ROOMS } from './import-table.ts'

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
/** The path to a module that another thread or process runs, as in `new URL('…', import.meta.url)`. */
const PATH = /(?:new URL\(|import\.meta\.(?:resolve\(|dirname,))\s*['`]([^'`]+\.[mc]?[jt]s)['`]/g
/** A part of a path that differs in the package. In a clone it is the second of the two. */
const CHOICE = /\$\{\w+ \? '[^']*' : '([^']*)'\}/g

/** Assignments to members of globals and of prototypes, but for those that are made to be set. */
const GLOBAL =
  '(?:globalThis|process|console|crypto|Error|Promise|JSON|Object|Array|Function|Date|\\w*[pP]rototype)'
const REPLACED = new RegExp(
  `\\b${GLOBAL}(?!\\.exitCode)(?:\\.\\w+|\\[[^\\]]+\\])\\s*=[^=>]|\\b(?:Object|Reflect)\\.(?:assign|define\\w+|set\\w*|delete\\w+)\\(\\s*${GLOBAL}\\s*,`,
)

const root = resolve(import.meta.dirname, '..')
const sources = filesBelow('src').filter((file) => !file.endsWith('.test.ts'))
const imports = new Map(sources.map((file) => [file, importsOf(file)]))

describe('the floors', () => {
  it('are those of the table', () => {
    const floors = readdirSync(join(root, 'src')).filter((name) => !name.endsWith('.test.ts'))
    expect(floors.toSorted()).toEqual(Object.keys(FLOORS).toSorted())
  })

  it('import only whom they may', () => {
    expect(
      forbidden((from, to) => floorOf(from) !== floorOf(to) && !mayUseFloor(from, to)),
    ).toEqual([])
  })

  it('may not do what none of them does', () => {
    const used = new Set([...imports].flatMap(([from, all]) => all.map((to) => pair(from, to))))
    const unused = Object.entries(FLOORS).flatMap(([floor, others]) =>
      others
        .filter((other) => other !== '*' && !used.has(`${floor} ${other}`))
        .map((other) => `${floor} does not import ${other}`),
    )
    expect(unused).toEqual([])
  })

  it('stand in docs/rooms.md with what they may import', () => {
    const rows = Object.entries(FLOORS).map(([floor, others]) => [
      `src/${floor}`,
      others.toSorted(),
    ])
    const told = readFileSync(join(root, 'docs/rooms.md'), 'utf8').matchAll(
      /^\| `(src\/[a-z.-]+)` \|.*\| ([^|]+) \|$/gm,
    )
    const inWords = [...told].map(([, floor, text = '']) => [floor, namesIn(text).toSorted()])
    expect(inWords.toSorted()).toEqual(rows.toSorted())
  })

  it('are not imported by the client, which imports nothing of ours', () => {
    const files = filesBelow('client/src')
    const outside = files
      .flatMap((file) => importsOf(file))
      .filter((target) => !target.startsWith('client/'))
    expect(outside).toEqual([])
  })
})

describe('the rooms', () => {
  it('are those of the table', () => {
    for (const [floor, rooms] of Object.entries(ROOMS)) {
      const found = sources.filter((file) => floorOf(file) === floor).map(roomOf)
      expect([...new Set(found)].toSorted(), floor).toEqual(Object.keys(rooms).toSorted())
    }
  })

  it('import only whom they may', () => {
    const isForbidden = (from: string, to: string) =>
      floorOf(from) === floorOf(to) && roomOf(from) !== roomOf(to) && !mayUseRoom(from, to)
    expect(forbidden(isForbidden)).toEqual([])
  })

  it('do not import each other freely', () => {
    const pairs = Object.entries(ROOMS).flatMap(([floor, rooms]) =>
      Object.entries(rooms).flatMap(([room, others]) =>
        others
          .filter((other) => rooms[other]?.includes(room))
          .map((other) => `${floor}: ${room} and ${other}`),
      ),
    )
    expect(pairs).toEqual([])
  })

  it('may not do what none of them does', () => {
    const used = new Set(
      [...imports].flatMap(([from, all]) => all.flatMap((to) => waysTo(from, to))),
    )
    const unused = Object.entries(ROOMS).flatMap(([floor, rooms]) =>
      Object.entries(rooms).flatMap(([room, others]) =>
        others
          .filter((other) => other !== '*' && !used.has(`${floor}:${room}:${other}`))
          .map((other) => `${floor}: ${room} does not import ${other}`),
      ),
    )
    expect(unused).toEqual([])
  })

  it('are named in docs/rooms.md, each in a line of its own', () => {
    const lines = readFileSync(join(root, 'docs/rooms.md'), 'utf8').split('\n')
    const named = (folder: string) => lines.some((line) => line.startsWith(`| \`${folder}\` |`))
    const folders = new Set(sources.map(dirname).filter((folder) => folder !== 'src'))
    expect([...folders].filter((folder) => !named(folder))).toEqual([])
  })
})

describe('the files', () => {
  it('do not import themselves by way of others', () => {
    expect(circles()).toEqual([])
  })

  it('leave process.env to the configuration', () => {
    const offenders = sources.filter((file) => textOf(file).includes('process.env'))
    expect(offenders).toEqual(['src/settings/config.ts'])
  })

  it('leave globals and classes of packages to src/graph/js/patches', () => {
    const offenders = sources.filter((file) => REPLACED.test(textOf(file)))
    const elsewhere = offenders.filter((file) => !file.startsWith('src/graph/js/patches/'))
    // It adds a name of its own, by which a debugger finds the place.
    expect(elsewhere).toEqual(['src/process/watchdog.ts'])
    const page = readFileSync(join(root, 'docs/patches.md'), 'utf8')
    expect([...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name)).toEqual(PATCHES)
  })

  it('are no barrels, and lie in no room for everything', () => {
    const bad = /\/(index\.ts|(utils?|common|shared|lib)(\/|\.ts))/
    expect(sources.filter((file) => bad.test(file))).toEqual([])
  })
})

describe('this test', () => {
  it('would notice a forbidden import of a floor', () => {
    expect(mayUseFloor('src/storage/db/db.ts', 'src/http/app.ts')).toBe(false)
    expect(mayUseFloor('src/storage/db/db.ts', 'src/core/errors.ts')).toBe(true)
  })

  it('would notice a forbidden import of a room, and of a file that is not named', () => {
    const from = 'src/agent-server/threads/thread-removal.ts'
    expect(mayUseRoom(from, 'src/agent-server/mcp/tools.ts')).toBe(false)
    expect(mayUseRoom(from, 'src/agent-server/runs/run-creation.ts')).toBe(false)
    expect(mayUseRoom(from, 'src/agent-server/runs/cancel.ts')).toBe(true)
  })

  it('would notice the path to a module that another process runs', () => {
    const text = `
      new URL(\`../main/up.\${isCompiled ? 'js' : 'ts'}\`, import.meta.url)
      import.meta.resolve('../main/serve.ts')
      join(import.meta.dirname, '../main/dev.ts')`
    const found = importsOf('src/cli/program.ts', text)
    expect(found).toEqual(['src/main/up.ts', 'src/main/serve.ts', 'src/main/dev.ts'])
  })

  it.each([
    'Error.prepareStackTrace = prepare',
    'globalThis.fetch = own',
    'Object.assign(globalThis, { fetch })',
    "Object.defineProperty(process, 'exit', { value })",
    'prototype[name] = function () {}',
    'Base.prototype.invoke = own',
    'process.exit = (code) => {}',
  ])('would notice %s', (line) => {
    expect(REPLACED.test(line)).toBe(true)
  })

  it.each([
    'process.exitCode = 1',
    'if (process.pid === 1) return',
    'const { exit } = process',
    'Object.assign(fields, globalThis.fields)',
  ])('would not mind %s', (line) => {
    expect(REPLACED.test(line)).toBe(false)
  })

  it('would notice a circle', () => {
    const ring = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', []],
    ])
    expect(circles(ring)).toEqual(['a → b → c → a'])
  })
})

function forbidden(isForbidden: (from: string, to: string) => boolean): string[] {
  return [...imports].flatMap(([from, all]) =>
    all.filter((to) => isForbidden(from, to)).map((to) => `${from} imports ${to}`),
  )
}

function mayUseFloor(from: string, to: string): boolean {
  const allowed = FLOORS[floorOf(from)] ?? []
  return allowed.includes('*') || allowed.includes(floorOf(to))
}

/** Floors that the table of rooms does not list have none, or leave it to them. */
function mayUseRoom(from: string, to: string): boolean {
  const allowed = ROOMS[floorOf(from)]?.[roomOf(from)]
  if (!allowed || allowed.includes('*') || roomOf(to) === '.') return true
  return allowed.some((other) => other === roomOf(to) || other === placeOf(to))
}

function pair(from: string, to: string): string {
  return `${floorOf(from)} ${floorOf(to)}`
}

/** The floors in a cell of the table in docs/rooms.md. */
function namesIn(cell: string): string[] {
  if (cell === 'everything') return ['*']
  return [...cell.matchAll(/`([a-z.-]+)\/?`/g)].map(([, name = '']) => name)
}

function waysTo(from: string, to: string): string[] {
  if (floorOf(from) !== floorOf(to)) return []
  return [roomOf(to), placeOf(to)].map((way) => `${floorOf(from)}:${roomOf(from)}:${way}`)
}

/** A folder of `src/`, or a file that lies in `src/` itself. */
function floorOf(file: string): string {
  const [top = '', second = ''] = file.split('/')
  return top === 'src' ? second : top
}

/** The way from the floor to the file's folder; `.`: it lies in the floor itself. */
function roomOf(file: string): string {
  return relative(join('src', floorOf(file)), dirname(file)) || '.'
}

/** Its room and its name, as the table of rooms says it. */
function placeOf(file: string): string {
  return `${roomOf(file)}/${file.slice(dirname(file).length + 1, -'.ts'.length)}`
}

/** Each circle of imports once, begun at the file with the first name. */
function circles(graph: ReadonlyMap<string, readonly string[]> = imports): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const walk = (file: string, way: string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.add(ringOf(way.slice(at)))
    if (at >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) walk(next, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return [...found]
}

function ringOf(files: string[]): string {
  const first = files.indexOf(files.toSorted()[0] ?? '')
  const turned = [...files.slice(first), ...files.slice(0, first)]
  return [...turned, turned[0]].join(' → ')
}

/** The files of ours that a file imports, as types or as values, statically or not, or whose path it has. */
function importsOf(file: string, text = textOf(file)): string[] {
  const found = [...text.matchAll(IMPORT), ...text.replace(CHOICE, '$1').matchAll(PATH)]
  const targets = found.map(([, to = '']) => join(dirname(file), to))
  return targets.filter((target) => existsSync(join(root, target)))
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** From the root on, with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).split(sep).join('/'))
}
