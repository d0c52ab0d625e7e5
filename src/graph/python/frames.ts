/** Frames of the connection (`hosts/python/PROTOCOL.md`): one array in JSON, and byte strings behind it. */
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'

/** The first item of each. */
export const FRAME = {
  CALL: 0,
  ANSWER: 1,
  FAILURE: 2,
  ABORT: 3,
  ITEM: 4,
  CREDIT: 5,
  END: 6,
  UNWANTED: 7,
  NOTE: 8,
} as const

export type Frame = [kind: number, ...rest: unknown[]]

/** JSON that refers to each byte string by its place in the list. The last part of a frame may be one. */
export class WithBytes {
  readonly value: unknown
  readonly bytes: readonly Uint8Array[]

  constructor(value: unknown, bytes: readonly Uint8Array[]) {
    this.value = value
    this.bytes = bytes
  }
}

const LENGTH_BYTES = 4
const MAX_FRAME_BYTES = 256 * 1024 * 1024

/** Keeps frames until they are taken. */
export class FrameWriter {
  #frames: Buffer[] = []

  /** Whether there are no frames. */
  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  /** Throws for what cannot be sent; then nothing was added. */
  add(frame: Frame): void {
    const last = frame.at(-1)
    if (last instanceof Uint8Array) this.#add([...frame.slice(0, -1), null], [last])
    else if (last instanceof WithBytes) this.#add([...frame.slice(0, -1), last.value], last.bytes)
    else this.#add(frame, [])
  }

  take(): Buffer {
    const frames = this.#frames
    this.#frames = []
    return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
  }

  #add(frame: unknown[], bytes: readonly Uint8Array[]): void {
    const text = wellFormed(JSON.stringify(frame))
    const textBytes = Buffer.byteLength(text)
    const behind = bytes.reduce((sum, one) => sum + LENGTH_BYTES + one.length, 0)
    const size = LENGTH_BYTES + textBytes + behind
    if (size > MAX_FRAME_BYTES) {
      throw new AppError('too_large', `A value of ${size} bytes is too large for the host.`)
    }
    const all = Buffer.allocUnsafe(LENGTH_BYTES + size)
    let at = all.writeUInt32BE(size)
    at = all.writeUInt32BE(textBytes, at)
    at += all.write(text, at)
    for (const one of bytes) {
      at = all.writeUInt32BE(one.length, at)
      all.set(one, at)
      at += one.length
    }
    this.#frames.push(all)
  }
}

/** Half a surrogate pair, which `JSON.stringify` escapes, is no text to Python: it becomes U+FFFD. */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  )
}

/** Cuts what arrives into frames. */
export class FrameReader {
  readonly #onFrame: (frame: Frame, bytes: Buffer[]) => void
  /** The part of the next frame that has arrived, and its length in bytes. */
  #parts: Buffer[] = []
  #length = 0
  /** How many bytes it takes to go on. */
  #needed = LENGTH_BYTES

  constructor(onFrame: (frame: Frame, bytes: Buffer[]) => void) {
    this.#onFrame = onFrame
  }

  /** Throws for what is no frame. */
  feed(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#length)
    const rest = this.#readAll(bytes)
    this.#parts = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }

  #readAll(bytes: Buffer): Buffer {
    let at = 0
    for (;;) {
      this.#needed = LENGTH_BYTES
      if (bytes.length - at < LENGTH_BYTES) break
      const size = bytes.readUInt32BE(at)
      if (size > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${size} bytes`)
      this.#needed += size
      if (bytes.length - at < this.#needed) break
      const from = at + LENGTH_BYTES
      at = from + size
      this.#onFrame(...readFrame(bytes.subarray(from, at)))
    }
    return bytes.subarray(at)
  }
}

/** The byte strings are copies. Throws for anything else. */
function readFrame(bytes: Buffer): [Frame, Buffer[]] {
  let at = 0
  const next = () => {
    const from = at + LENGTH_BYTES
    at = from + bytes.readUInt32BE(at)
    if (at > bytes.length) throw new RangeError('The frame is cut off.')
    return bytes.subarray(from, at)
  }
  const frame: unknown = parseJson(next().toString())
  if (!Array.isArray(frame)) throw new TypeError('The frame is no array.')
  const behind: Buffer[] = []
  while (at < bytes.length) behind.push(Buffer.from(next()))
  return [frame as Frame, behind]
}
