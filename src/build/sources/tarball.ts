/**
 * Unpacks an uploaded tarball. It is read twice: first to see that all of it may be unpacked, then
 * to do so; a tarball that is refused leaves nothing behind.
 */
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract, Parser, type ReadEntry } from 'tar'
import { BuildError } from '../../core/deployment/build.ts'
import type { BuildLimits, StepContext } from '../step.ts'
import { whyRefused } from './tar-entry.ts'

/** A header, an extended header with a long name, and padding. */
const ENTRY_OVERHEAD_BYTES = 4096

/**
 * Unpacks the tarball at `path` into the new folder `into`, names as they are (no top folder is
 * taken away). Owners are not kept. Throws `BuildError('unpack')`, which names the entry that leads
 * out of the folder, is no file, folder or link, or is one too many.
 */
export async function unpackTarball(
  path: string,
  into: string,
  context: StepContext,
): Promise<void> {
  const entries = await inspect(path, context)
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
  } catch (error) {
    throw new BuildError('unpack', `The tarball cannot be unpacked: ${messageOf(error)}.`, {
      cause: error,
    })
  }
  context.signal.throwIfAborted()
  context.log.line(`Unpacked ${entries} entries.`)
}

/** Reads the whole tarball and answers how many entries it has. */
async function inspect(path: string, context: StepContext): Promise<number> {
  const check = createCheck(context.limits)
  const parser = new Parser({ strict: true, onReadEntry: (entry) => check.take(entry) })
  let broken: unknown
  parser.on('error', (error: unknown) => {
    broken ??= error
  })
  parser.on('ignoredEntry', (entry: ReadEntry) => check.take(entry))
  const content = createReadStream(path).pipe(createGunzip())
  addAbortSignal(context.signal, content)
  try {
    for await (const chunk of content) {
      check.takeBytes(chunk.length)
      parser.write(chunk)
      check.refuse()
      if (broken) throw broken
    }
    parser.end()
    if (broken) throw broken
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof BuildError) throw error
    throw new BuildError('unpack', `This is no sound .tar.gz file: ${messageOf(error)}.`, {
      cause: error,
    })
  }
  check.refuse()
  return check.count()
}

/** Counts what goes by and keeps the first reason to refuse it. */
function createCheck(limits: BuildLimits) {
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
      if (reason) throw new BuildError('unpack', reason)
    },
    count: () => count,
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
