/** Files of a checkout that git keeps elsewhere (LFS): in their place lies a pointer, a short text. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface LfsPointer {
  /** From the top of the repository. */
  path: string
  /** SHA-256 of the content. */
  oid: string
  /** In bytes. */
  size: number
}

/** By the specification of LFS. */
const MAX_POINTER_BYTES = 1024

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?$/

/** Larger `.gitattributes` files are ignored. */
const MAX_ATTRIBUTES_BYTES = 1024 * 1024

/** `entries`: as `git ls-tree -r -l -z` prints those of the commit that lies in the folder. */
export async function findLfsPointers(folder: string, entries: string): Promise<LfsPointer[]> {
  const files = entries.split('\0').flatMap(readEntry)
  if (!(await isLfsUsed(folder, files))) return []
  const found: LfsPointer[] = []
  for (const { path, bytes } of files) {
    if (bytes > MAX_POINTER_BYTES) continue
    const [, oid, size] = POINTER.exec(await readFile(join(folder, path), 'utf8')) ?? []
    if (oid !== undefined) found.push({ path, oid, size: Number(size) })
  }
  return found
}

interface Entry {
  path: string
  bytes: number
}

/** Only regular files: a link may lead anywhere. */
function readEntry(entry: string): Entry[] {
  const [, bytes, path] = /^100\d{3} blob [0-9a-f]+ +(\d+)\t(.+)$/s.exec(entry) ?? []
  return path === undefined ? [] : [{ path, bytes: Number(bytes) }]
}

/** A file is a pointer only where an attribute says so. */
async function isLfsUsed(folder: string, files: Entry[]): Promise<boolean> {
  for (const { path, bytes } of files) {
    if (basename(path) !== '.gitattributes' || bytes > MAX_ATTRIBUTES_BYTES) continue
    if (/\bfilter=lfs\b/.test(await readFile(join(folder, path), 'utf8'))) return true
  }
  return false
}
