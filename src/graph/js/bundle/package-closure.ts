/** Installed packages and their dependencies. */
import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const MODULES = `${sep}node_modules${sep}`

/** The folder of the package that a file belongs to; `undefined` for a file outside of `node_modules`. */
export function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf(MODULES)
  if (at < 0) return undefined
  const start = at + MODULES.length
  const [scope = '', name = ''] = file.slice(start).split(sep)
  return file.slice(0, start) + (scope.startsWith('@') ? join(scope, name) : scope)
}

/**
 * The folders, links resolved, of the package and of all that it may import: its dependencies, optional ones and peers,
 * theirs, and so on. Packages that are not installed are left out.
 */
export async function packageClosure(folder: string): Promise<string[]> {
  const found = new Set<string>()
  const waiting = [await realpath(folder)]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (found.has(one)) continue
    found.add(one)
    for (const name of await dependenciesOf(one)) {
      const place = findPackage(one, name)
      if (place) waiting.push(await realpath(place))
    }
  }
  return [...found]
}

async function dependenciesOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text) as Manifest
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

/** Looks for the package as Node does, from the folder upwards. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return place
    if (dirname(folder) === folder) return undefined
  }
}
