/**
 * The two pieces that a packed folder with a bundle consists of: what an agent server starts with, and, packed in
 * that, all of it, which is unpacked only where the bundle does not work.
 *
 * ```
 * node_modules/.runyard/bundle.mjs
 *                       outside.json   which packages the bundle leaves outside; absent: all are needed
 *                       whole.tar.gz   the folder with all of its packages; in packed folders only
 * ```
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative, sep } from 'node:path'

/** Changes with the file's content; files of other formats count as absent. */
const FORMAT = 1
const MODULES = /(^|\/)node_modules(\/|$)/
const SCOPE = /(^|\/)node_modules\/@[^/]+$/

/** Where the whole folder is packed beside the bundle. */
export function wholePath(bundle: string): string {
  return join(dirname(bundle), 'whole.tar.gz')
}

/** `outside`: folders of packages, absolute; `undefined`: all packages are needed. */
export async function writePieces(bundle: string, outside: string[] | undefined): Promise<void> {
  const path = outsidePath(bundle)
  await rm(path, { force: true })
  if (!outside) return
  const packages = outside.map((one) => relative(dirname(bundle), one).split(sep).join('/'))
  await writeFile(path, JSON.stringify({ format: FORMAT, packages }))
}

/** What the small piece contains. */
export interface Pieces {
  /** From the top of the folder, with `/`. */
  whole: string
  has(path: string, isFolder: boolean): boolean
}

/** `bundle`: from the top of the folder `root`. `undefined`: it stays in one piece. */
export async function readPieces(root: string, bundle: string): Promise<Pieces | undefined> {
  const packages = await readOutside(outsidePath(join(root, bundle)))
  if (!packages) return undefined
  const own = posix.dirname(bundle)
  const kept = [own, ...packages.map((way) => posix.join(own, way))]
  const whole = posix.join(own, 'whole.tar.gz')
  return {
    whole,
    has(path, isFolder) {
      if (path === whole) return false
      if (!MODULES.test(path)) return true
      if (kept.some((one) => path === one || path.startsWith(`${one}/`))) return true
      // The folder of a scope may hold a package manager's link to a kept package.
      return isFolder && (SCOPE.test(path) || kept.some((one) => one.startsWith(`${path}/`)))
    },
  }
}

function outsidePath(bundle: string): string {
  return join(dirname(bundle), 'outside.json')
}

async function readOutside(path: string): Promise<string[] | undefined> {
  try {
    const { format, packages } = JSON.parse(await readFile(path, 'utf8'))
    return format === FORMAT ? packages : undefined
  } catch {
    return undefined
  }
}
