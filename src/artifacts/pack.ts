/** Packs a built folder into one file, by its digest. */
import { createHash } from 'node:crypto'
import { readlinkSync, type Stats } from 'node:fs'
import { chmod, open, rm } from 'node:fs/promises'
import { isAbsolute, posix, relative } from 'node:path'
import { create, type WriteEntry } from 'tar'
import { type Pieces, readPieces } from './pieces.ts'

/** Saves nine tenths of what the highest level does, in a third of the time. */
const LEVEL = 1

interface PackedFile {
  /** SHA-256, in hex. */
  digest: string
  bytes: number
}

interface PackOptions {
  /** The bundle of the built project, from the top of the folder: its packages are packed apart (`pieces.ts`). */
  bundle?: string | null
  signal?: AbortSignal | undefined
}

/**
 * Packs the folder `root` into the new .tar.gz file `path`, without owners. Leaves out source maps of packages, and
 * links that lead out of it (also an environment's link to the Python of this machine, which `unpack` finds anew).
 * Throws the signal's reason, and leaves the file to the caller.
 */
export async function packFolder(
  root: string,
  path: string,
  { bundle, signal }: PackOptions = {},
): Promise<PackedFile> {
  const pieces = bundle ? await readPieces(root, bundle) : undefined
  if (!pieces) return pack({ root, path, signal })
  const whole = `${path}.whole`
  try {
    await pack({ root, path: whole, signal })
    // A pod may run as another user than its fetch.
    await chmod(whole, 0o644)
    return await pack({ root, path, signal, pieces: { ...pieces, file: whole } })
  } finally {
    await rm(whole, { force: true })
  }
}

interface Packing {
  root: string
  path: string
  signal: AbortSignal | undefined
  /** `file`: the whole folder, packed; absolute. Absent: it is in one piece. */
  pieces?: Pieces & { file: string }
}

async function pack({ root, path, signal, pieces }: Packing): Promise<PackedFile> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  const added = pieces && relative(root, pieces.file)
  const packing = create(
    {
      cwd: root,
      // An unreadable file fails the pack instead of being left out.
      strict: true,
      gzip: { level: LEVEL },
      portable: true,
      filter: (entry, stat) =>
        entry === added || isPacked({ root, path: entry, pieces }, stat as Stats),
      onWriteEntry: (entry) => {
        if (pieces && entry.path === added) entry.path = pieces.whole
        else relink(root, entry)
      },
    },
    added === undefined ? ['.'] : ['.', added],
  )
  // Listens for later errors too: an error event without a listener ends the process.
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

/** Leaves out sockets and pipes of a build, whose processes have ended. */
function isPacked(
  { root, path, pieces }: { root: string; path: string; pieces: Pieces | undefined },
  stat: Stats,
): boolean {
  if (stat.isFile() && PACKAGE_MAP.test(path)) return false
  if (!stat.isSymbolicLink()) {
    if (!stat.isFile() && !stat.isDirectory()) return false
    return pieces?.has(posix.normalize(path), stat.isDirectory()) ?? true
  }
  const link = packedLink(root, path)
  if (link === undefined) return false
  // A package manager may link to a package that stays outside.
  return pieces?.has(posix.join(posix.dirname(path), link), false) ?? true
}

function relink(root: string, entry: WriteEntry): void {
  if (entry.type === 'SymbolicLink') entry.linkpath = packedLink(root, entry.path) ?? ''
}

/**
 * The target of the link at `path` (from the top of the folder `root`) in the packed folder: relative, so that it works
 * wherever the folder lies. `undefined`: it leads out of the folder, and is left out.
 */
function packedLink(root: string, path: string): string | undefined {
  const target = targetOf(posix.join(root, path))
  if (target === undefined) return undefined
  const own = posix.normalize(path)
  const reached = isAbsolute(target)
    ? posix.relative(root, target)
    : posix.join(posix.dirname(own), target)
  if (reached === '..' || reached.startsWith('../') || isAbsolute(reached)) return undefined
  return posix.relative(posix.dirname(own), reached) || '.'
}

/** The link may vanish meanwhile; nothing catches what the packer's callback throws. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
