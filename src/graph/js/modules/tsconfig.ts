/** The `tsconfig.json` nearest to a file, with what it extends: its path aliases, and its syntax settings. */
import { dirname } from 'node:path'
import { createPathsMatcher, type PathsMatcher, parseTsconfig } from 'get-tsconfig'
import { AppError } from '../../../core/errors.ts'
import { findTsconfig } from '../../../project/tsconfig.ts'

interface Tsconfig {
  path: string
  /** With all that it extends. */
  config: ReturnType<typeof parseTsconfig>
  /** Returns the paths that an alias may name; `null` if the file has no aliases. */
  match: PathsMatcher | null
}

/** By folder. A reload starts a new process, so nothing is read twice. */
const known = new Map<string, Tsconfig | undefined>()

/** `undefined` if there is no such file. Throws `bad_request`, with the path, for one that cannot be read. */
export function tsconfigOf(file: string): Tsconfig | undefined {
  const folder = dirname(file)
  if (!known.has(folder)) known.set(folder, read(findTsconfig(folder)))
  return known.get(folder)
}

function read(path: string | undefined): Tsconfig | undefined {
  if (path === undefined) return undefined
  try {
    const config = parseTsconfig(path)
    return { path, config, match: createPathsMatcher({ path, config }) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('bad_request', `${path} cannot be used: ${reason}`, { cause })
  }
}
