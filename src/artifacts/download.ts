/** Fetches one file over HTTP, and checks its digest. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** How long the other side may be silent, in ms. */
const SILENCE_MS = 60_000

export class DownloadFailed extends Error {
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
export async function download(url: string, options: DownloadOptions): Promise<number> {
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
