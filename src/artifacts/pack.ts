/** Packs a built folder into one file, by its digest. */
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { create, type WriteEntry } from 'tar'
import { packedLink } from './links.ts'

/** Nine tenths of what is saved at most, in a third of the time. */
const LEVEL = 1

interface PackedFile {
  /** SHA-256, in hex. */
  digest: string
  bytes: number
}

/**
 * Packs all of the folder `root` into the new .tar.gz file `path`. Links that lead out of it are left out
 * (so is an environment's way to the Python of this machine, which `unpack` finds anew), and so are source maps of
 * packages; owners are not packed. Throws the signal's reason, and leaves the file to the caller.
 */
export async function packFolder(
  root: string,
  path: string,
  signal?: AbortSignal,
): Promise<PackedFile> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  const packing = create(
    {
      cwd: root,
      // What cannot be read ends it, and is not left out.
      strict: true,
      gzip: { level: LEVEL },
      portable: true,
      filter: (entry, stat) => isPacked(root, entry, stat as Stats),
      onWriteEntry: (entry) => relink(root, entry),
    },
    ['.'],
  )
  // Also after the first one, and when nobody reads any more: an error that nobody hears ends the process.
  let failure: unknown
  packing.on('error', (error: unknown) => {
    failure ??= error
  })
  try {
    let bytes = 0
    for await (const chunk of packing) {
      signal?.throwIfAborted()
      hash.update(chunk)
      await file.appendFile(chunk)
      bytes += chunk.length
    }
    if (failure !== undefined) throw failure
    await file.sync()
    return { digest: hash.digest('hex'), bytes }
  } finally {
    await file.close()
  }
}

/** Source maps of packages, a third of the files of many projects: agent servers read that of their bundle only. */
const PACKAGE_MAP = /(^|\/)node_modules\/(?!\.runyard\/).*\.map$/

/** Sockets and pipes of a build are nobody's any more. */
function isPacked(root: string, path: string, stat: Stats): boolean {
  if (stat.isFile() && PACKAGE_MAP.test(path)) return false
  if (stat.isSymbolicLink()) return packedLink(root, path) !== undefined
  return stat.isFile() || stat.isDirectory()
}

function relink(root: string, entry: WriteEntry): void {
  if (entry.type === 'SymbolicLink') entry.linkpath = packedLink(root, entry.path) ?? ''
}
