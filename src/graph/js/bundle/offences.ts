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
  const text = await readFile(output, 'utf8')
  let end = 0
  let current: string | undefined
  let known = 0
  for (const { index } of text.matchAll(MARKS)) {
    if (index < end) continue
    const start = text.lastIndexOf('\n', index) + 1
    const lineBreak = text.indexOf('\n', index)
    end = lineBreak < 0 ? text.length : lineBreak
    const what = offenceOf(text.slice(start, end))
    if (!what) continue
    current = lastNamed(text, { from: known, to: start }, bundled) ?? current
    known = start
    if (current !== undefined) found.set(current, what)
  }
  return [...found].map(([file, what]) => ({ file, what }))
}

/**
 * One of these is in each line with an offence, and in few others: the patterns are tried on few lines. To take the whole
 * text apart for that took 56 ms for the example's 5 MB where this takes 28.
 */
const MARKS = new RegExp(`${HERE}|import\\(|__require`, 'g')

/** The last file that a comment names on the lines from one to before the other, each told by its begin. */
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

function offenceOf(line: string): string | undefined {
  if (/^\s*(\/[/*]|\*)/.test(line)) return undefined
  if (line.includes(HERE))
    return 'its own place (import.meta, __dirname, __filename, require.resolve)'
  if (/\bimport\((?!\s*["'`][^"'`$]*["'`])/.test(line))
    return 'an import() of what is not written there'
  if (/\b__require(?!\()|\b__require\((?!["'`])/.test(line))
    return 'a require() of what is not written there'
  return undefined
}
