/** Repeats requests to another server while it is away: transfers of files, and what builds ask of registries. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'

export interface TransferTools {
  signal: AbortSignal
  say(line: string): void
  /** How long the first wait between two attempts takes, in ms. Default: a second; each takes twice the one before. */
  backOffMs?: number
}

/**
 * Makes up to `attempts` attempts, as long as they throw `unavailable`. Throws the last error, and the signal's reason,
 * also during a wait.
 */
export async function withRetries<T>(
  attempts: number,
  { signal, say, backOffMs = 1000 }: TransferTools,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      const mayHelp = error instanceof AppError && error.code === 'unavailable'
      if (!mayHelp || count === attempts) throw error
      say(`${error.message} Trying again.`)
      const waitMs = backOffMs * 2 ** (count - 1)
      await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** Five minutes with the waits between them, in which another control plane takes over. */
const ATTEMPTS = 9

/**
 * Tries again while the other side is away. Throws `bad_request` if it refuses, `unavailable` if it stays away; neither
 * repeats secret parts of the URL.
 */
export async function sendFile(url: string, file: string, tools: TransferTools): Promise<void> {
  await withRetries(ATTEMPTS, tools, () => send(url, file, tools.signal))
}

async function send(url: string, file: string, signal: AbortSignal): Promise<void> {
  const where = URL.parse(url)?.origin ?? 'the control plane'
  const { size } = await stat(file)
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const headers = { 'content-type': 'application/gzip', 'content-length': String(size) }
  const init = { method: 'PUT', body, headers, signal, duplex: 'half' } as const
  const { status, text } = await fetch(url, init)
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch((cause: unknown) => {
      const why = `${where} cannot be reached: ${reasonOf(cause)}.`
      throw new AppError('unavailable', why, { cause })
    })
  if (status >= 200 && status < 300) return
  const code = isRefusal(status) ? 'bad_request' : 'unavailable'
  throw new AppError(code, `${where} answers ${status}: ${text.slice(0, 500)}`)
}

/** A file that arrived broken (400) is sent again. */
function isRefusal(status: number): boolean {
  return status > 400 && status < 500 && ![408, 429].includes(status)
}

/** Why a request failed: the reason that `fetch` keeps as the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
