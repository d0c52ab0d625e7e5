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
  let current: string | undefined
  for (const line of (await readFile(output, 'utf8')).split('\n')) {
    const [, named] = /^\s*\/\/ (\S.*)$/.exec(line) ?? []
    if (named !== undefined && bundled.has(named)) current = named
    if (current === undefined || isComment(line)) continue
    const what = offenceOf(line, isOfPackage(current))
    // The match may be in a string, such as a prompt.
    if (what && (what !== IMPORTS || opens.has(current))) found.set(current, what)
  }
  return [...found].map(([file, what]) => ({ file, what }))
}

function isComment(line: string): boolean {
  return /^\s*(\/[/*]|\*)/.test(line)
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
