/** What in a bundle would behave otherwise than in its own file. */
import { readFile } from 'node:fs/promises'
import type { Metafile } from 'esbuild'

/** Stands in a bundle for everything by which a file knows where it lies. */
export const HERE = '__runyard_here'

export interface Offence {
  /** Relative to the project's folder. */
  file: string
  /** In words, after "uses". */
  what: string
}

const NATIVE = 'a native module'

/**
 * One for each file that has any. What was dropped as unused is no offence. `output` is a bundle of
 * esbuild that is not minified: a comment with its path precedes each file.
 */
export async function findOffences(
  output: string,
  { inputs, outputs }: Metafile,
): Promise<Offence[]> {
  const found = new Map<string, string>()
  const bundled = new Set(Object.values(outputs).flatMap((one) => Object.keys(one.inputs)))
  for (const file of bundled) {
    const imports = inputs[file]?.imports ?? []
    if (imports.some(({ path }) => path.endsWith('.node'))) found.set(file, NATIVE)
  }
  let current: string | undefined
  for (const line of (await readFile(output, 'utf8')).split('\n')) {
    const [, comment] = (line.includes('// ') && /^\s*\/\/ (\S.*)$/.exec(line)) || []
    if (comment !== undefined && bundled.has(comment)) current = comment
    const what = offenceOf(line)
    if (what && current !== undefined) found.set(current, what)
  }
  return [...found].map(([file, what]) => ({ file, what }))
}

/** One of these is in each line with an offence: the patterns are tried on few lines. */
const MARKS = [HERE, 'import(', '__require']

function offenceOf(line: string): string | undefined {
  if (!MARKS.some((mark) => line.includes(mark))) return undefined
  if (/^\s*(\/[/*]|\*)/.test(line)) return undefined
  if (line.includes(HERE))
    return 'its own place (import.meta, __dirname, __filename, require.resolve)'
  if (/\bimport\((?!\s*["'`][^"'`$]*["'`])/.test(line))
    return 'an import() of what is not written there'
  if (/\b__require(?!\()|\b__require\((?!["'`])/.test(line))
    return 'a require() of what is not written there'
  return undefined
}
