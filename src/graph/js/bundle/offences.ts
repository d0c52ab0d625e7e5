/** Finds code that would behave differently in a bundle than in its own file. */
import { readFile } from 'node:fs/promises'
import type { BuildResult } from 'esbuild'
import { HERE } from './places.ts'

export interface Offence {
  /** Relative to the project's folder. */
  file: string
  /** In words, after "uses". */
  what: string
}

const NATIVE = 'a native module'
/** esbuild's name for its warning about such an `import()`; the warning is off by default. */
export const OPEN_IMPORT = 'unsupported-dynamic-import'
/** The one offence that a package may be bundled with (`places.ts`). */
export const IMPORTS = 'an import() of what is not written there'
const PLACE = 'its own place (import.meta, __dirname, __filename, require.resolve)'

/**
 * One offence per file that has any; unused code that esbuild dropped does not count. `output` is an unminified bundle
 * of esbuild: a comment with its path precedes each file.
 */
export async function findOffences(
  output: string,
  { metafile: { inputs, outputs }, warnings }: BuildResult<{ metafile: true }>,
): Promise<Offence[]> {
  const found = new Map<string, string>()
  const opens = new Set(
    warnings.flatMap(({ id, location }) => (id === OPEN_IMPORT ? [location?.file] : [])),
  )
  const bundled = new Set(Object.values(outputs).flatMap((one) => Object.keys(one.inputs)))
  for (const file of bundled) {
    const imports = inputs[file]?.imports ?? []
    if (imports.some(({ path }) => path.endsWith('.node'))) found.set(file, NATIVE)
  }
  const text = await readFile(output, 'utf8')
  let end = 0
  let current: string | undefined
  let known = 0
  for (const { index } of text.matchAll(MARKS)) {
    if (index < end) continue
    const start = text.lastIndexOf('\n', index) + 1
    const lineBreak = text.indexOf('\n', index)
    end = lineBreak < 0 ? text.length : lineBreak
    const line = text.slice(start, end)
    if (!isMarked(line)) continue
    current = lastNamed(text, { from: known, to: start }, bundled) ?? current
    known = start
    const what = current !== undefined && offenceOf(line, isOfPackage(current))
    if (current === undefined || !what) continue
    // The match may be in a string, such as a prompt.
    if (what !== IMPORTS || opens.has(current)) found.set(current, what)
  }
  return [...found].map(([file, what]) => ({ file, what }))
}

/**
 * Each line with an offence contains one of these, and few other lines do, so the patterns are tried on few lines.
 * Splitting the whole text took 56 ms for the example's 5 MB; this takes 28.
 */
const MARKS = new RegExp(`${HERE}|import\\(|__require`, 'g')

/** The last file that a comment names between the line starts `from` and `to`, `to` excluded. */
function lastNamed(
  text: string,
  { from, to }: { from: number; to: number },
  bundled: Set<string>,
): string | undefined {
  for (let after = to; after > from; ) {
    const at = text.lastIndexOf('// ', after - 1)
    if (at < from) return undefined
    const before = text.lastIndexOf('\n', at) + 1
    const [, comment] = /^\s*\/\/ (\S.*)$/.exec(text.slice(before, text.indexOf('\n', at))) ?? []
    if (comment !== undefined && bundled.has(comment)) return comment
    after = before
  }
  return undefined
}

function isMarked(line: string): boolean {
  return !/^\s*(\/[/*]|\*)/.test(line)
}

function isOfPackage(file: string): boolean {
  return file.startsWith('node_modules/') || file.includes('/node_modules/')
}

/** The project's own files keep their places (`places.ts`); only a remaining `HERE` is an offence. */
function offenceOf(line: string, isOfPackage: boolean): string | undefined {
  if (isOfPackage ? PLACE_OF_PACKAGE.test(line) : PLACE_OF_OWN.test(line)) return PLACE
  if (/\bimport\((?!\s*["'`][^"'`$]*["'`])/.test(line)) return IMPORTS
  if (/\b__require(?!\()|\b__require\((?!["'`])/.test(line))
    return 'a require() of what is not written there'
  return undefined
}

const PLACE_OF_PACKAGE = new RegExp(`${HERE}(?!_import)`)
/** In the sources, hooks resolve the project's own files; a bundle has no such hooks. */
const PLACE_OF_OWN = new RegExp(`${HERE}(?!_)|${HERE}_resolve\\d*\\((?!["'\`][^"'\`$./])`)
