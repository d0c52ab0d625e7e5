/**
 * Keeps the body of an answer of project code to its announced length. The client would read bytes beyond it as the
 * answer to the next request on the connection.
 */
import { brotliDecompressSync, constants } from 'node:zlib'

/** Headers of the connection, which only the server may set. */
const OF_CONNECTION = ['connection', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']

/** The first bytes of each encoding. */
const BEGINNINGS: Readonly<Record<string, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  'x-gzip': [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
}

/** Called once if an answer does not have the length that it announced. */
type OnOther = (found: { announced: number; sent: number }) => void

/**
 * The answer with as many bytes as it announces; further bytes are not sent. `onOther` is called if the body has more
 * or fewer; the connection then has to end. If `fetch` has decompressed the body, the headers of the compressed body
 * (encoding, length) are removed.
 */
export async function holdToLength(answer: Response, onOther: OnOther): Promise<Response> {
  const { headers: given, body } = answer
  const headers = new Headers(given)
  for (const name of OF_CONNECTION) headers.delete(name)
  if (!body) {
    // The length in a 304 is that of the client's cached copy.
    if (answer.status !== 304) headers.delete('content-length')
    return changed(answer, null, headers)
  }
  const bytes = new Bytes(body)
  if (headers.has('content-encoding') && (await isUnpacked(answer, bytes))) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  const announced = lengthIn(headers)
  if (announced === undefined) headers.delete('content-length')
  return changed(answer, bytes.stream(announced, onOther), headers)
}

/** Whether an answer needs `holdToLength`: others announce no length that could be wrong. */
export function announcesLength({ headers }: Response): boolean {
  return ['content-length', 'content-encoding', ...OF_CONNECTION].some((name) => headers.has(name))
}

function changed({ status, statusText }: Response, body: ReadableStream | null, headers: Headers) {
  return new Response(body, { status, statusText, headers })
}

function lengthIn(headers: Headers): number | undefined {
  const text = headers.get('content-length') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * `fetch` decompresses bodies but leaves the headers unchanged. Its own responses have a URL. Responses that
 * middleware has made from them have none, so the first bytes decide.
 */
async function isUnpacked({ url, headers }: Response, bytes: Bytes): Promise<boolean> {
  if (url !== '') return true
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  const first = await bytes.peek()
  if (!first) return false
  if (encoding === 'br') return !isBrotli(first)
  return BEGINNINGS[encoding]?.some((byte, at) => at < first.length && first[at] !== byte) ?? false
}

/** Brotli has no magic bytes, but other data fails to decompress, even in part. */
function isBrotli(first: Uint8Array): boolean {
  try {
    brotliDecompressSync(first, { finishFlush: constants.BROTLI_OPERATION_FLUSH })
    return true
  } catch {
    return false
  }
}

/** A body, read piece by piece, whose first piece can be peeked at. */
class Bytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #first: Promise<Uint8Array | undefined> | undefined

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader()
  }

  /** `undefined`: the body is empty. */
  peek(): Promise<Uint8Array | undefined> {
    this.#first ??= this.#next()
    return this.#first
  }

  /** At most `length` bytes of the body; absent: all. */
  stream(length: number | undefined, onOther: OnOther): ReadableStream<Uint8Array> {
    let left = length ?? Number.POSITIVE_INFINITY
    const announced = length ?? 0
    const end = (controller: ReadableStreamDefaultController, sent: number) => {
      if (length !== undefined && sent !== announced) onOther({ announced, sent })
      controller.close()
    }
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const piece = left > 0 ? await this.#take() : undefined
          if (!piece) return end(controller, announced - left)
          const wanted = piece.subarray(0, Math.min(left, piece.length))
          if (wanted.length > 0) controller.enqueue(wanted)
          left -= piece.length
          if (left > 0) return
          end(controller, announced - left)
          void this.#dropRest()
        },
        cancel: (reason) => this.#reader.cancel(reason),
      },
      // Reads only on demand.
      { highWaterMark: 0 },
    )
  }

  #take(): Promise<Uint8Array | undefined> {
    const first = this.#first
    this.#first = undefined
    return first ?? this.#next()
  }

  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      const piece = typeof value === 'string' ? new TextEncoder().encode(value) : value
      if (piece.length > 0) return piece
    }
  }

  /** Cancels the body only if it has more bytes, so that a correct body can end by itself. */
  async #dropRest(): Promise<void> {
    await this.#next()
      .then((more) => more && this.#reader.cancel())
      .catch(() => {})
  }
}
