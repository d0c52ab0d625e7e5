/** Frames of the connection (`hosts/python/PROTOCOL.md`): a length, and one array in MessagePack. */
import { AppError } from '../../core/errors.ts'
import { Packer, unpack } from './message-pack.ts'

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

const HEAD_BYTES = 4
const MAX_FRAME_BYTES = 256 * 1024 * 1024

/** Packs frames until somebody takes them. */
export class FrameWriter {
  readonly #packer = new Packer()

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#packer.length === 0
  }

  /** Throws for what cannot be sent; then nothing was added. */
  add(frame: Frame): void {
    const from = this.#packer.reserve32()
    try {
      this.#packer.write(frame)
      const bytes = this.#packer.length - from - HEAD_BYTES
      if (bytes > MAX_FRAME_BYTES) {
        throw new AppError('too_large', `A value of ${bytes} bytes is too large for the host.`)
      }
      this.#packer.setUint32(from, bytes)
    } catch (error) {
      this.#packer.rewind(from)
      throw error
    }
  }

  take(): Buffer {
    return this.#packer.take()
  }
}

/** Cuts what arrives into frames. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void
  /** What has come of the next frame, and how many bytes that are; 0: nothing. */
  #parts: Buffer[] = []
  #length = 0
  /** How many it takes to go on. */
  #needed = HEAD_BYTES

  constructor(onFrame: (frame: Frame) => void) {
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
      this.#needed = HEAD_BYTES
      if (bytes.length - at < HEAD_BYTES) break
      const size = bytes.readUInt32BE(at)
      if (size > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${size} bytes`)
      this.#needed += size
      if (bytes.length - at < this.#needed) break
      const from = at + HEAD_BYTES
      at = from + size
      this.#onFrame(unpack(bytes.subarray(from, at)) as Frame)
    }
    return bytes.subarray(at)
  }
}
