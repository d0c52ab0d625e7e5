/**
 * Fetches a packed folder into a folder of this machine: the first step of a deployment's pods.
 *
 * ```
 * <into>/.runyard-part/   unfinished: the next fetch removes what a killed one has left
 *        …                the folder's own entries, moved here at the end
 *        .runyard-artifact   the digest, written last: the folder is complete
 * ```
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { unpackOwn } from './archive/unpack-own.ts'
import { linkInterpreter } from './interpreter.ts'
import { reasonOf, type TransferTools, withRetries } from './transfer.ts'

export interface FetchOrder {
  /** Addresses of the same file; tried one after the other. */
  urls: readonly string[]
  /** SHA-256 of the .tar.gz, in hex. */
  digest: string
  /** Absolute; made where it is missing. It may be a volume, so that it is filled and not replaced. */
  into: string
}

interface FetchTools extends TransferTools {
  /** The PATH that a Python is looked for on. */
  path: string
}

const PART = '.runyard-part'
/** The file that a fetch adds to the packed ones. */
export const MARK = '.runyard-artifact'
const ATTEMPTS = 7

/**
 * Resolves when the folder is complete; does nothing if it already is. Throws `bad_request` and `conflict` if a retry
 * would not help, `unavailable` if it may.
 */
export async function fetchArtifact(order: FetchOrder, tools: FetchTools): Promise<void> {
  const { into, digest } = order
  if ((await markOf(into)) === digest) {
    tools.say(`${into} holds it already.`)
    return
  }
  await clear(into)
  const part = join(into, PART)
  await mkdir(part, { recursive: true, mode: 0o755 })
  const file = join(part, 'folder.tar.gz')
  const bytes = await downloadPatiently(order, file, tools)
  const tree = join(part, 'tree')
  await unpackOwn(file, tree, tools)
  await rm(file)
  await linkInterpreter(tree, { place: into, path: tools.path, signal: tools.signal })
  for (const name of await readdir(tree)) await rename(join(tree, name), join(into, name))
  await writeFile(join(part, MARK), `${digest}\n`)
  await rename(join(part, MARK), join(into, MARK))
  await rm(part, { recursive: true, force: true })
  tools.say(`${into}: ${bytes} bytes fetched and unpacked.`)
}

async function markOf(into: string): Promise<string | undefined> {
  return (await readFile(join(into, MARK), 'utf8').catch(() => undefined))?.trim()
}

/** Removes what another artifact or a killed fetch has left. Other folders are not touched. */
async function clear(into: string): Promise<void> {
  await mkdir(into, { recursive: true, mode: 0o755 })
  const names = (await readdir(into)).filter((name) => name !== 'lost+found')
  if (names.length === 0) return
  if (!names.includes(PART) && !names.includes(MARK)) {
    throw new AppError('conflict', `${into} is not empty: name a folder that is.`)
  }
  // The files that mark the folder as ours go last.
  const own = names.filter((name) => name !== PART && name !== MARK)
  for (const name of [...own, PART, MARK]) {
    await rm(join(into, name), { recursive: true, force: true })
  }
}

function downloadPatiently(
  { urls, digest }: FetchOrder,
  file: string,
  tools: FetchTools,
): Promise<number> {
  return withRetries(ATTEMPTS, tools, async () => {
    const failures: DownloadFailed[] = []
    for (const url of urls) {
      try {
        return await download(url, { digest, file, signal: tools.signal })
      } catch (error) {
        tools.signal.throwIfAborted()
        if (!(error instanceof DownloadFailed)) throw error
        failures.push(error)
      }
    }
    const why = failures.map(({ message }) => message).join(' ')
    const isFinal = failures.every((failure) => failure.isFinal)
    throw new AppError(isFinal ? 'bad_request' : 'unavailable', why)
  })
}

// Fetches one file over HTTP, and checks its digest.

/** How long the other side may be silent, in ms. */
const SILENCE_MS = 60_000

class DownloadFailed extends Error {
  /** Trying again does not help. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

interface DownloadOptions {
  /** SHA-256, in hex. */
  digest: string
  /** Absolute; an existing file is replaced. */
  file: string
  signal: AbortSignal
}

/** Returns the file's size in bytes. Throws `DownloadFailed`, which does not repeat secret parts of the URL. */
async function download(url: string, options: DownloadOptions): Promise<number> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('it was silent')), SILENCE_MS)
  const where = shown(url)
  try {
    const signal = AbortSignal.any([options.signal, silence.signal])
    const answer = await fetch(url, { signal })
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      throw new DownloadFailed(`${where} answers ${answer.status}.`, {
        isFinal: answer.status >= 400 && answer.status < 500 && ![408, 429].includes(answer.status),
      })
    }
    const { bytes, digest } = await write(answer.body, options.file, () => timer.refresh())
    if (digest === options.digest) return bytes
    const what = `What ${where} answered (${bytes} bytes) has the digest ${digest}, not ${options.digest}.`
    throw new DownloadFailed(what, { isFinal: false })
  } catch (error) {
    if (error instanceof DownloadFailed) throw error
    const { code } = error as NodeJS.ErrnoException
    // The disk cannot be written: another address would not help.
    if (code !== undefined && ['ENOSPC', 'EROFS', 'EACCES', 'EDQUOT'].includes(code)) throw error
    throw new DownloadFailed(`${where} cannot be fetched: ${reasonOf(error)}.`, {
      isFinal: false,
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

async function write(
  body: AsyncIterable<Uint8Array>,
  path: string,
  onChunk: () => void,
): Promise<{ bytes: number; digest: string }> {
  const hash = createHash('sha256')
  const file = await open(path, 'w', 0o600)
  try {
    let bytes = 0
    for await (const chunk of body) {
      onChunk()
      hash.update(chunk)
      await file.appendFile(chunk)
      bytes += chunk.length
    }
    return { bytes, digest: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

/** Without the query, which is signed. */
function shown(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : 'An address that is none'
}
