/** A tar archive as a stream: written from parts whose sizes are known, and read part by part. */
import { Header, Parser, Pax, type ReadEntry } from 'tar'
import { AppError } from '../../core/errors.ts'

const BLOCK = 512
const MODE = 0o600

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
  const parser = new Parser({ strict: true })
  const entries: ReadEntry[] = []
  const failures: Error[] = []
  parser.on('entry', (entry) => entries.push(entry))
  parser.on('error', (error) => failures.push(error))
  const chunks = archive[Symbol.asyncIterator]()
  let isOver = false

  /** Gives the parser the next chunk: never more than callers have read so far. */
  async function feed(): Promise<void> {
    if (isOver) throw broken('it ends in the middle')
    const { value, done } = await chunks.next()
    if (done) parser.end()
    else parser.write(value)
    isOver = done === true
    if (failures[0]) throw broken(failures[0].message)
  }

  async function* bodyOf(entry: ReadEntry): AsyncGenerator<Uint8Array> {
    while (!entry.emittedEnd) {
      const chunk = entry.read()
      if (chunk) yield chunk
      else await feed()
    }
  }

  while (!isOver) {
    await feed()
    for (let entry = entries.shift(); entry; entry = entries.shift()) {
      if (entry.type !== 'File') throw broken(`it has an entry of the type ${entry.type}`)
      yield { path: entry.path, bytes: entry.size, body: bodyOf(entry) }
      // The caller may have left a part of it.
      for await (const _ of bodyOf(entry));
    }
  }
}

function broken(why: string): AppError {
  return new AppError('bad_request', `This is no sound backup: ${why}.`)
}
