/** Which entries of a tarball may be unpacked. */
import { posix } from 'node:path'

/** The fields of an entry that are checked. */
interface TarEntry {
  path: string
  /** The name that the tar reader has for the type, e.g. `SymbolicLink`. */
  type: string
  linkpath?: string | undefined
}

const FILE_TYPES: readonly string[] = ['File', 'OldFile', 'ContiguousFile', 'Directory']

/**
 * Why this entry may not be unpacked, as a sentence that names it; `undefined` when it may.
 *
 * A link may go up only at its beginning, and never above the top. As no entry is unpacked through
 * a link, that bounds where a link leads even when its way passes other links of the tarball.
 */
export function whyRefused(entry: TarEntry): string | undefined {
  const name = JSON.stringify(entry.path)
  if (!isInside(entry.path)) return `The tarball's entry ${name} leads out of its folder.`
  if (FILE_TYPES.includes(entry.type)) return undefined
  const target = entry.linkpath ?? ''
  const isLinkInside =
    entry.type === 'SymbolicLink'
      ? isSymbolicLinkInside(entry.path, target)
      : entry.type === 'Link' && isInside(target)
  if (isLinkInside) return undefined
  if (entry.type !== 'SymbolicLink' && entry.type !== 'Link') {
    return `The tarball's entry ${name} is a ${entry.type}: only files, folders and links are taken.`
  }
  return `The tarball's link ${name} leads out of its folder, to ${JSON.stringify(target)}.`
}

function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..')
}

function isSymbolicLinkInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/')) return false
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  if (firstName !== -1 && parts.slice(firstName).includes('..')) return false
  const reached = posix.join(posix.dirname(path), ...parts)
  return reached !== '..' && !reached.startsWith('../')
}
