/** Sends a packed folder to where it is kept. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'

interface SendTools {
  signal: AbortSignal
  say(line: string): void
  /** How long the first wait between two attempts takes, in ms. Default: a second; each takes twice the one before. */
  backOffMs?: number
}

/** Five minutes with the waits between them, in which another control plane takes over. */
const ATTEMPTS = 9

/**
 * Tries again while the other side is away. Throws `bad_request` if it refuses, `unavailable` if it stays away; neither
 * repeats secret parts of the URL.
 */
export async function sendFile(url: string, file: string, tools: SendTools): Promise<void> {
  const { signal, say, backOffMs = 1000 } = tools
  const where = URL.parse(url)?.origin ?? 'the control plane'
  for (let attempt = 1; ; attempt++) {
    const answer = await send(url, file, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      return `${where} cannot be reached: ${reasonOf(error)}.`
    })
    if (answer === undefined) return
    const why =
      typeof answer === 'string' ? answer : `${where} answers ${answer.status}: ${answer.text}`
    const isFinal = typeof answer !== 'string' && isRefusal(answer.status)
    if (isFinal) throw new AppError('bad_request', why)
    if (attempt === ATTEMPTS) throw new AppError('unavailable', why)
    say(`${why} Trying again.`)
    await delay(backOffMs * 2 ** (attempt - 1), undefined, { signal })
  }
}

/** `undefined`: it has arrived. */
async function send(
  url: string,
  file: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string } | undefined> {
  const { size } = await stat(file)
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const headers = { 'content-type': 'application/gzip', 'content-length': String(size) }
  const answer = await fetch(url, { method: 'PUT', body, headers, signal, duplex: 'half' })
  const text = (await answer.text()).slice(0, 500)
  return answer.ok ? undefined : { status: answer.status, text }
}

/** A file that arrived broken (400) is sent again. */
function isRefusal(status: number): boolean {
  return status > 400 && status < 500 && ![408, 429].includes(status)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
