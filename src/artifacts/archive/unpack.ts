/**
 * Unpacks a tarball. It is read twice: first to see that all of it may be unpacked, then to do so; a
 * tarball that is refused leaves nothing behind.
 */
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { addAbortSignal, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, Parser, type ReadEntry } from 'tar'
import { AppError } from '../../core/errors.ts'

interface UnpackLimits {
  maxUnpackedBytes: number
  maxEntries: number
}

/** A header, an extended header with a long name, and padding. */
const ENTRY_OVERHEAD_BYTES = 4096

/**
 * Unpacks the .tar.gz at `path` into the new folder `into`, names as they are (no top folder is taken away), and
 * returns how many entries it has. Owners are not kept. Throws `bad_request`, which names the entry that leads out of
 * the folder, is no file, folder or link, or is one too many; and the signal's reason.
 */
export async function unpackTarball(
  path: string,
  into: string,
  options: { limits: UnpackLimits; signal: AbortSignal },
): Promise<number> {
  const entries = await inspect(path, options)
  await mkdir(into, { recursive: true })
  try {
    // Strict: an entry that the first reading did not foresee ends the extraction instead of being skipped.
    await extract({
      file: path,
      cwd: into,
      strict: true,
      preserveOwner: false,
      maxDecompressionRatio: Number.POSITIVE_INFINITY,
    })
  } catch (cause) {
    throw refused(`The tarball cannot be unpacked: ${messageOf(cause)}.`, cause)
  }
  options.signal.throwIfAborted()
  return entries
}

/** Reads the whole tarball and returns how many entries it has. */
async function inspect(
  path: string,
  { limits, signal }: { limits: UnpackLimits; signal: AbortSignal },
): Promise<number> {
  const check = createCheck(limits)
  const parser = new Parser({ strict: true, onReadEntry: (entry) => check.take(entry) })
  let broken: unknown
  parser.on('error', (error: unknown) => {
    broken ??= error
  })
  parser.on('ignoredEntry', (entry: ReadEntry) => check.take(entry))
  const content = createGunzip()
  // It closes the file however the reading ends. Its errors are those of `content`, which is read below.
  pipeline(createReadStream(path), content, () => {})
  addAbortSignal(signal, content)
  try {
    for await (const chunk of content) {
      check.takeBytes(chunk.length)
      parser.write(chunk)
      check.refuse()
      if (broken) throw broken
    }
    parser.end()
    if (broken) throw broken
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof AppError) throw cause
    throw refused(`This is no sound .tar.gz file: ${messageOf(cause)}.`, cause)
  }
  check.refuse()
  return check.count()
}

/** Counts entries and bytes, and keeps the first reason to refuse the tarball. */
function createCheck(limits: UnpackLimits) {
  const tooLarge = `The tarball holds more than ${limits.maxUnpackedBytes} bytes.`
  // The stream has a header and padding for each entry on top of what the entries hold.
  const maxStreamBytes = limits.maxUnpackedBytes + limits.maxEntries * ENTRY_OVERHEAD_BYTES
  let count = 0
  let entryBytes = 0
  let streamBytes = 0
  let reason: string | undefined
  return {
    take(entry: ReadEntry): void {
      entry.resume()
      if (entry.meta && !entry.ignore) return
      count += 1
      entryBytes += entry.size
      reason ??= whyRefused(entry)
      if (count > limits.maxEntries) {
        reason ??= `The tarball has more than ${limits.maxEntries} entries.`
      }
      if (entryBytes > limits.maxUnpackedBytes) reason ??= tooLarge
    },
    takeBytes(length: number): void {
      streamBytes += length
      if (streamBytes > maxStreamBytes) reason ??= tooLarge
    },
    refuse(): void {
      if (reason) throw refused(reason)
    },
    count: () => count,
  }
}

function refused(sentence: string, cause?: unknown): AppError {
  return new AppError('bad_request', sentence, { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

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
