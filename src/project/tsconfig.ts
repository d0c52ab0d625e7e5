/** Finds the `tsconfig.json` of a project. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * The one of the project's folder, or of the nearest folder above that has one, as TypeScript looks for it; but neither
 * above a repository's top nor out of a hidden folder, which belongs to some tool.
 */
export function findTsconfig(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, 'tsconfig.json')
    if (existsSync(path)) return path
    const isTop = existsSync(join(folder, '.git')) || dirname(folder) === folder
    if (isTop || basename(folder).startsWith('.')) return undefined
  }
}
