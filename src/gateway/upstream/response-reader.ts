/**
 * Reads HTTP/1.1 answers from the bytes of one connection, strictly: where an answer ends must not be
 * open to two readings. A NUL in a value would be the end of it for HTTP/2, and what follows would be other headers.
 *
 * ```
 * head ──▶ length ─────────────────────────────────▶ over
 *  │ ╲──▶ size ⇄ chunk, gap ──▶ trailers ──────────▶ over
 *  │  ╲─▶ until the connection closes ─────────────▶ over
 *  └ no body, or an interim answer: over, or head again
 * ```
 */
import { isFieldValue } from '../field-text.ts'
import { readHeaderLines } from '../header-lines.ts'

/** What an answer is made of, as it comes. Bytes are copies, which the taker may keep. */
interface AnswerParts {
  /** The headers: names and values in turn, as received. Interim answers are left out. */
  onHead(status: number, message: string, headers: string[]): void
  onData(bytes: Buffer): void
  onEnd(trailers: Record<string, string>): void
  /** Instead of these: an answer that came as a whole, with a short body in latin1. */
  onWhole(status: number, message: string, headers: string[], body: string): void
}

const MAX_HEAD_BYTES = 64 * 1024
const MAX_LINE_BYTES = 16 * 1024
/** What a short body is: as a text, it can be written in one with a head. */
export const MAX_TEXT_BYTES = 8 * 1024
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LINE_FEED = 10

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i

type State = 'head' | 'length' | 'size' | 'chunk' | 'gap' | 'trailers' | 'untilClose' | 'over'

export class ResponseReader {
  readonly #parts: AnswerParts
  #state: State = 'over'
  #isHead = false
  #bytes: Buffer = END_OF_HEAD
  #at = 0
  /** The begin of a head, or of a line, whose rest has not come yet. */
  #begun: Buffer | undefined
  #left = 0
  #data: Buffer[] = []
  #trailers: Record<string, string> = {}
  #trailerBytes = 0
  #persists = false
  #keepAlive = ''
  /** What was read last, of the same server: its answers say the same. */
  #keptRead = ''
  #keptSeconds: number | undefined

  constructor(parts: AnswerParts) {
    this.#parts = parts
  }

  /** The next bytes are the answer to a request with this method. */
  begin(method: string): void {
    this.#state = 'head'
    this.#isHead = method === 'HEAD'
    this.#begun = undefined
  }

  /** Whether the last answer is complete and another request may follow on the connection. */
  get isReusable(): boolean {
    return this.#state === 'over' && this.#persists
  }

  /** For how many seconds the server said that it keeps the idle connection; `undefined`: it did not say. */
  get keptSeconds(): number | undefined {
    if (this.#keepAlive !== this.#keptRead) {
      const said = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(this.#keepAlive)?.[1]
      this.#keptSeconds = said === undefined ? undefined : Number(said)
      this.#keptRead = this.#keepAlive
    }
    return this.#keptSeconds
  }

  /**
   * Takes the next bytes, the first `length` of `place`, which the caller may overwrite afterwards. Throws for what is
   * no HTTP.
   */
  read(place: Buffer, length = place.length): void {
    this.#at = 0
    if (this.#readWhole(place, length)) return
    this.#bytes = place.subarray(0, length)
    while (this.#at < length) this.#step()
    this.#flush()
  }

  /** The connection has ended. Throws in the middle of an answer. */
  end(): void {
    if (this.#state === 'untilClose') this.#finish()
    else if (this.#state !== 'over')
      throw new Error('The connection closed before the answer ended.')
  }

  /** Reads a short answer as one text. `false`: it is none, and only its head may have been read. */
  #readWhole(place: Buffer, length: number): boolean {
    if (this.#state !== 'head' || this.#begun || length > MAX_TEXT_BYTES) return false
    const text = place.toString('latin1', 0, length)
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return false
    this.#at = end + END_OF_HEAD.length
    return this.#takeHead(text.slice(0, end + 2), text.slice(this.#at))
  }

  #step(): void {
    switch (this.#state) {
      case 'head':
        return void this.#readHead()
      case 'size':
        return void this.#readSize()
      case 'gap':
        return void this.#readGap()
      case 'trailers':
        return void this.#readTrailer()
      case 'over':
        this.#persists = false
        throw new Error('Bytes came after the end of the answer.')
      default:
        return void this.#readData()
    }
  }

  #readHead(): void {
    const rest = this.#at === 0 ? this.#bytes : this.#bytes.subarray(this.#at)
    const before = this.#begun?.length ?? 0
    const all = this.#begun ? Buffer.concat([this.#begun, rest]) : rest
    const end = all.indexOf(END_OF_HEAD)
    if (end > MAX_HEAD_BYTES || (end === -1 && all.length > MAX_HEAD_BYTES)) {
      throw new Error(`The head of the answer has more than ${MAX_HEAD_BYTES} bytes.`)
    }
    if (end === -1) {
      this.#begun = before > 0 ? all : Buffer.from(all)
      this.#at = this.#bytes.length
      return
    }
    this.#begun = undefined
    this.#at += end + END_OF_HEAD.length - before
    this.#takeHead(all.toString('latin1', 0, end + 2))
  }

  /** `rest`: all that has come after it, where that is known. Answers whether it was the rest of the answer. */
  #takeHead(head: string, rest?: string): boolean {
    const [status, message, minor, headers] = parsedHead(head)
    if (status === 101) throw new Error('The server switched protocols unasked.')
    if (status < 200) return false
    const { length, isChunked, connection, keepAlive } = framing(headers)
    this.#keepAlive = keepAlive
    this.#persists = persists(minor, connection)
    this.#trailers = {}
    this.#trailerBytes = 0
    this.#left = length ?? 0
    const hasBody = !this.#isHead && status !== 204 && status !== 304
    if (!hasBody || length === 0) this.#state = 'over'
    else if (isChunked) this.#state = 'size'
    else this.#state = length === undefined ? 'untilClose' : 'length'
    if (this.#state === 'untilClose') this.#persists = false
    if (rest !== undefined && this.#isEndedBy(rest)) {
      this.#state = 'over'
      this.#parts.onWhole(status, message, headers, rest)
      return true
    }
    this.#parts.onHead(status, message, headers)
    if (this.#state === 'over') this.#parts.onEnd(this.#trailers)
    return false
  }

  #isEndedBy(rest: string): boolean {
    return this.#state === 'length'
      ? rest.length === this.#left
      : this.#state === 'over' && rest === ''
  }

  #readData(): void {
    const there = this.#bytes.length - this.#at
    const taken = this.#state === 'untilClose' ? there : Math.min(there, this.#left)
    this.#data.push(this.#bytes.subarray(this.#at, this.#at + taken))
    this.#at += taken
    if (this.#state === 'untilClose') return
    this.#left -= taken
    if (this.#left > 0) return
    if (this.#state === 'length') this.#finish()
    else this.#state = 'gap'
  }

  #readSize(): void {
    const line = this.#line()
    if (line === undefined) return
    const size = CHUNK_SIZE.exec(line)?.[1]
    if (size === undefined) throw new Error('The answer has a chunk of unreadable size.')
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
  }

  #readGap(): void {
    const line = this.#line()
    if (line === undefined) return
    if (line !== '') throw new Error('A chunk of the answer is longer than its size.')
    this.#state = 'size'
  }

  #readTrailer(): void {
    const line = this.#line()
    if (line === undefined) return
    if (line === '') return void this.#finish()
    this.#trailerBytes += line.length
    if (this.#trailerBytes > MAX_HEAD_BYTES) throw new Error('The answer has too long trailers.')
    const [name, value = ''] = readHeaderLines(`${line}\r\n`, 0) ?? []
    if (name === undefined) throw new Error('The answer has a trailer with forbidden characters.')
    this.#trailers[name] = value
  }

  /** The next line, without its end. `undefined`: its end has not come yet. */
  #line(): string | undefined {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at)
    const rest = this.#bytes.subarray(this.#at, end === -1 ? undefined : end + 1)
    this.#at += rest.length
    const line = this.#begun ? Buffer.concat([this.#begun, rest]) : rest
    if (line.length > MAX_LINE_BYTES) throw new Error('The answer has too long a line.')
    this.#begun = end === -1 ? Buffer.from(line) : undefined
    if (end === -1) return undefined
    const text = line.toString('latin1')
    if (!text.endsWith('\r\n')) throw new Error('A line of the answer ends without CR.')
    return text.slice(0, -2)
  }

  #finish(): void {
    this.#flush()
    this.#state = 'over'
    this.#parts.onEnd(this.#trailers)
  }

  /** Everything that one read brought goes on as one piece. */
  #flush(): void {
    const [first] = this.#data
    if (!first) return
    const data = this.#data.length === 1 ? Buffer.from(first) : Buffer.concat(this.#data)
    this.#data = []
    this.#parts.onData(data)
  }
}

function parsedHead(head: string): [status: number, message: string, minor: string, string[]] {
  const end = head.indexOf('\r\n')
  const match = STATUS_LINE.exec(head.slice(0, end))
  if (!match || !isFieldValue(match[3] ?? '')) {
    throw new Error('The answer does not begin as HTTP/1.1 does.')
  }
  const headers = readHeaderLines(head, end + 2)
  if (!headers) throw new Error('The answer has a header with forbidden characters.')
  return [Number(match[2]), match[3] ?? '', match[1] ?? '', headers]
}

interface Framing {
  length: number | undefined
  isChunked: boolean
  connection: string
  keepAlive: string
}

/** How long the body is. Throws where headers contradict each other, or name a coding but `chunked`. */
function framing(headers: string[]): Framing {
  const said: Framing = { length: undefined, isChunked: false, connection: '', keepAlive: '' }
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string
    if (name.length !== 14 && name.length !== 17 && name.length !== 10) continue
    const lower = name.toLowerCase()
    if (lower === 'content-length') said.length = lengthOf(value, said.length)
    else if (lower === 'transfer-encoding') said.isChunked = requireChunked(value, said.isChunked)
    else if (lower === 'connection') said.connection += `,${value}`
    else if (lower === 'keep-alive') said.keepAlive = value
  }
  if (said.isChunked && said.length !== undefined) {
    throw new Error('The answer has both a length and chunks.')
  }
  return said
}

function lengthOf(value: string, before: number | undefined): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isNaN(length) || (before !== undefined && before !== length)) {
    throw new Error('The answer has an unreadable length.')
  }
  return length
}

function requireChunked(value: string, isRepeated: boolean): true {
  if (value.toLowerCase() === 'chunked' && !isRepeated) return true
  throw new Error('The answer has a transfer coding other than chunked.')
}

function persists(minor: string, connection: string): boolean {
  // Almost every answer says one of these.
  if (connection === ',keep-alive' || connection === '') return minor === '1' || connection !== ''
  const tokens = connection.toLowerCase().split(/[\s,]+/)
  if (tokens.includes('close')) return false
  return minor === '1' || tokens.includes('keep-alive')
}
