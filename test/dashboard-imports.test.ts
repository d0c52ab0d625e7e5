/** The areas of the dashboard do not import each other, but for what the import table names. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AREA_GROUND, AREAS } from './import-table.ts'

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
const root = resolve(import.meta.dirname, '../dashboard/src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.tsx?$/.test(name),
)
const imports = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })))

describe('an area of the dashboard', () => {
  it('imports only what it may', () => {
    const forbidden = imports.filter(({ from, to }) => isInArea(from) && !mayImport(from, to))
    expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  it('stands in the table with nothing that it does not use', () => {
    const unused = Object.entries(AREAS).flatMap(([area, others]) =>
      others
        .filter((other) => !AREA_GROUND.includes(other))
        .filter((other) => !imports.some((one) => isFrom(one, area) && isWithin(one.to, other)))
        .map((other) => `${area} does not import ${other}`),
    )
    expect(unused).toEqual([])
  })

  it('imports no file outside of the dashboard, but for packages', () => {
    const outside = imports.filter(({ to }) => !existsSync(join(root, to)))
    expect(outside).toEqual([])
  })
})

describe('this test', () => {
  it('would notice an area that imports another one', () => {
    expect(mayImport('store/store-page.tsx', 'crons/queries.ts')).toBe(false)
    expect(mayImport('store/store-page.tsx', 'design/page.tsx')).toBe(true)
    expect(mayImport('home/home-page.tsx', 'deployments/settings-page.tsx')).toBe(false)
    expect(mayImport('design/page.tsx', 'shell/places.tsx')).toBe(false)
  })
})

function mayImport(from: string, to: string): boolean {
  const allowed = AREAS[areaOf(from)] ?? AREA_GROUND
  return areaOf(from) === areaOf(to) || allowed.some((other) => isWithin(to, other))
}

/** `other`: a folder, or a file without its ending. */
function isWithin(file: string, other: string): boolean {
  return file.startsWith(`${other}/`) || file.replace(/\.tsx?$/, '') === other
}

function isFrom({ from }: { from: string }, area: string): boolean {
  return areaOf(from) === area
}

/** The entry and the routes bring all areas together. */
function isInArea(file: string): boolean {
  return file.includes('/')
}

function areaOf(file: string): string {
  return file.split('/')[0] ?? ''
}

/** From the folder of sources on, with slashes. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, to = '']) => join(dirname(file), to))
}
