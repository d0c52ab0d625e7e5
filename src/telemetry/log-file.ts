/**
 * A file of lines that begin with the time, `2026-11-20T12:00:00.000Z text`. It is read piece by piece
 * from either end. A line counts once its line break is written.
 */
import { type FileHandle, open } from 'node:fs/promises'

interface TimedLine {
  /** Where the line begins, in bytes. */
  offset: number
  /** Since 1970. */
  ms: number
  text: string
}

const CHUNK_BYTES = 64 * 1024
const LINE_BREAK = 0x0a
const NOTHING: Buffer = Buffer.alloc(0)
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ?(.*)$/s

export class LogFile {
  /** Identifies the file, even after it was renamed. */
  readonly inode: number
  /** The time of its first line. */
  readonly firstMs: number
  readonly #handle: FileHandle
  readonly #size: number

  constructor(handle: FileHandle, about: { inode: number; size: number; firstMs: number }) {
    this.#handle = handle
    this.#size = about.size
    this.inode = about.inode
    this.firstMs = about.firstMs
  }

  /** The lines from `fromMs` to `untilMs`, the oldest first. */
  async *forward(fromMs: number, untilMs: number): AsyncGenerator<TimedLine> {
    const { before } = await this.#seek(fromMs)
    for await (const line of timed(this.#linesForward(before))) {
      if (line.ms > untilMs) return
      if (line.ms >= fromMs) yield line
    }
  }

  /** The same lines, the newest first. */
  async *backward(fromMs: number, untilMs: number): AsyncGenerator<TimedLine> {
    const { behind } = await this.#seek(untilMs + 1)
    for await (const line of timed(this.#linesBackward(behind))) {
      if (line.ms < fromMs) return
      if (line.ms <= untilMs) yield line
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  /** Two places around the first line at or after `ms`, close enough to read what is between them. */
  async #seek(ms: number): Promise<{ before: number; behind: number }> {
    let before = 0
    let behind = this.#size
    while (behind - before > CHUNK_BYTES) {
      const middle = await this.#firstTimedLine((before + behind) >> 1, behind)
      if (!middle) break
      if (middle.ms < ms) before = middle.offset
      else behind = middle.offset
    }
    return { before, behind }
  }

  /** The first line that begins after `from` and before `to`. */
  async #firstTimedLine(from: number, to: number): Promise<TimedLine | undefined> {
    let isCut = true
    for await (const line of this.#linesForward(from)) {
      if (line.offset >= to) return undefined
      const found = isCut ? undefined : parse(line)
      isCut = false
      if (found) return found
    }
    return undefined
  }

  async *#linesForward(from: number): AsyncGenerator<RawLine> {
    let pending = NOTHING
    let offset = from
    for (let at = from; at < this.#size; ) {
      const chunk = await this.#read(at, Math.min(CHUNK_BYTES, this.#size - at))
      if (chunk.length === 0) return
      at += chunk.length
      pending = Buffer.concat([pending, chunk])
      let begin = 0
      for (
        let end = pending.indexOf(LINE_BREAK);
        end >= 0;
        end = pending.indexOf(LINE_BREAK, begin)
      ) {
        yield { offset: offset + begin, text: pending.toString('utf8', begin, end) }
        begin = end + 1
      }
      offset += begin
      pending = pending.subarray(begin)
    }
  }

  async *#linesBackward(to: number): AsyncGenerator<RawLine> {
    let pending = NOTHING
    let isLineEnd = false
    for (let at = to; at > 0; ) {
      const size = Math.min(CHUNK_BYTES, at)
      at -= size
      pending = Buffer.concat([await this.#read(at, size), pending])
      if (!isLineEnd) {
        pending = pending.subarray(0, pending.lastIndexOf(LINE_BREAK) + 1)
        isLineEnd = pending.length > 0
      }
      for (let begin = lastLineOf(pending); begin > 0; begin = lastLineOf(pending)) {
        yield { offset: at + begin, text: pending.toString('utf8', begin, pending.length - 1) }
        pending = pending.subarray(0, begin)
      }
    }
    if (pending.length > 0)
      yield { offset: 0, text: pending.toString('utf8', 0, pending.length - 1) }
  }

  async #read(at: number, size: number): Promise<Buffer> {
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await this.#handle.read(buffer, 0, size, at)
    return buffer.subarray(0, bytesRead)
  }
}

/** `undefined`: there is no such file, or it has no line yet. */
export async function openLogFile(path: string): Promise<LogFile | undefined> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return undefined
  try {
    const { size, ino: inode } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(24), 0, 24, 0)
    const firstMs = Date.parse(buffer.toString('latin1', 0, bytesRead))
    if (!Number.isNaN(firstMs)) return new LogFile(handle, { inode, size, firstMs })
    await handle.close()
    return undefined
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface RawLine {
  offset: number
  text: string
}

/** Where the last line begins in a text that ends with a line break. 0 or less: not in this text. */
function lastLineOf(pending: Buffer): number {
  return pending.length < 2 ? 0 : pending.lastIndexOf(LINE_BREAK, pending.length - 2) + 1
}

async function* timed(lines: AsyncGenerator<RawLine>): AsyncGenerator<TimedLine> {
  for await (const line of lines) {
    const found = parse(line)
    if (found) yield found
  }
}

/** Skips a line without a time: a power cut can leave one. */
function parse({ offset, text }: RawLine): TimedLine | undefined {
  const [, time, rest] = TIMED.exec(text) ?? []
  return time === undefined ? undefined : { offset, ms: Date.parse(time), text: rest ?? '' }
}
