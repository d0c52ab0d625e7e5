/** A tar archive as a stream: written from parts whose sizes are known, and read part by part. */
import { Header, Pax } from 'tar'
import { AppError } from '../../core/errors.ts'

const BLOCK = 512
const MODE = 0o600
/** The limit for a header with a long path. */
const MAX_PATH_BYTES = 16_384

export interface Part {
  path: string
  bytes: number
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[]
}

/** The blocks of the archive. Throws `internal` when a body does not have the stated length. */
export async function* writeTar(parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, body } of parts) {
    yield headOf(path, bytes)
    let written = 0
    for await (const chunk of body) {
      written += chunk.length
      yield chunk
    }
    if (written !== bytes) {
      throw new AppError('internal', `${path} has ${written} bytes where ${bytes} were expected.`)
    }
    yield padding(bytes)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** A path that is too long for the header gets a header of its own before it. */
function headOf(path: string, size: number): Uint8Array {
  const entry = {
    path,
    size,
    mode: MODE,
    type: 'File',
    mtime: new Date(0),
    uid: 0,
    gid: 0,
  } as const
  const header = new Header(entry)
  const block = Buffer.alloc(BLOCK)
  header.encode(block)
  if (!header.needPax) return block
  return Buffer.concat([new Pax({ path, size }).encode(), block])
}

function padding(bytes: number): Uint8Array {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)
}

/** A part that was read. Its body can be read until the next part is requested. */
export interface ReadPart {
  path: string
  bytes: number
  body: AsyncIterable<Uint8Array>
}

/** The files of an archive that `writeTar` has written. Throws `bad_request` when it is no such archive. */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ReadPart> {
  const reader = new BlockReader(archive)
  for (let path: string | undefined; ; ) {
    const block = await reader.read(BLOCK)
    if (block.every((byte) => byte === 0)) return
    const { cksumValid, type, path: short = '', size: bytes = 0 } = new Header(block)
    if (!cksumValid) throw broken('a header of it is damaged')
    if (type === 'ExtendedHeader' && bytes <= MAX_PATH_BYTES) {
      path = Pax.parse((await reader.read(bytes)).toString('utf8')).path
      await reader.read(padding(bytes).length)
      continue
    }
    if (type !== 'File') throw broken(`it has an entry of the type ${type}`)
    yield { path: path ?? short, bytes, body: reader.stream(bytes) }
    path = undefined
    await reader.skip(padding(bytes).length)
  }
}

/** Reads a stream, a given number of bytes at a time. */
class BlockReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = Buffer.alloc(0)
  /** How many bytes of the present part are still unread. */
  #unread = 0

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async read(bytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.stream(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** `skip` passes over the bytes that the caller does not read, even if it reads none. */
  stream(bytes: number): AsyncGenerator<Uint8Array> {
    this.#unread = bytes
    return this.#unreadChunks()
  }

  async *#unreadChunks(): AsyncGenerator<Uint8Array> {
    while (this.#unread > 0) yield await this.#next()
  }

  /** Skips the rest of the part, and `bytes` more. */
  async skip(bytes: number): Promise<void> {
    this.#unread += bytes
    while (this.#unread > 0) await this.#next()
  }

  async #next(): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) throw broken('it ends in the middle')
      this.#rest = value
    }
    const part = this.#rest.subarray(0, this.#unread)
    this.#rest = this.#rest.subarray(part.length)
    this.#unread -= part.length
    return part
  }
}

function broken(why: string): AppError {
  return new AppError('bad_request', `This is no sound backup: ${why}.`)
}
