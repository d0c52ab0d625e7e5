/**
 * MessagePack for values that are JSON or bytes, and nothing else: whole numbers stay whole beyond 32 bits, a
 * field that is `undefined` is absent, text is valid Unicode whatever it was, and no key is special.
 */
import { AppError } from '../../core/errors.ts'

/** As deep as the other side reads. */
const MAX_DEPTH = 1_000
const FIRST_BYTES = 16 * 1024
/** Who takes less than this gets a copy, so that the rest of the memory is used again. */
const COPIED_BYTES = 4 * 1024
/** The longest text that is looked at letter by letter. */
const SHORT_TEXT = 48
const TWO_32 = 2 ** 32

/** Writes values one behind the other into memory that grows. */
export class Packer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #view = viewOf(this.#bytes)
  #at = 0
  #depth = 0

  /** How many bytes are there. */
  get length(): number {
    return this.#at
  }

  /** Makes room for a number that is known later. Answers where. */
  reserve32(): number {
    this.#need(4)
    this.#at += 4
    return this.#at - 4
  }

  setUint32(at: number, value: number): void {
    this.#view.setUint32(at, value)
  }

  /** Forgets what was written from there on. */
  rewind(at: number): void {
    this.#at = at
    this.#depth = 0
  }

  /** What was written, which is the caller's from now on. */
  take(): Buffer {
    const all = this.#bytes.subarray(0, this.#at)
    this.#at = 0
    if (all.length <= COPIED_BYTES) return Buffer.from(all)
    this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
    this.#view = viewOf(this.#bytes)
    return all
  }

  /** Throws for what is neither JSON nor bytes. */
  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#writeText(value)
        break
      case 'number':
        this.#writeNumber(value)
        break
      case 'boolean':
        this.#writeByte(value ? 0xc3 : 0xc2)
        break
      case 'undefined':
        this.#writeByte(0xc0)
        break
      case 'object':
        if (value === null) this.#writeByte(0xc0)
        else this.#writeObject(value)
        break
      default:
        throw new TypeError(`A ${typeof value} cannot be sent to the Python host.`)
    }
  }

  #writeObject(value: object): void {
    if (value instanceof Uint8Array) this.#writeBytes(value)
    else this.#writeParts(value)
  }

  #writeParts(value: object): void {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) {
      throw new AppError('bad_request', `Values may be nested ${MAX_DEPTH} levels deep, not more.`)
    }
    if (Array.isArray(value)) this.#writeList(value)
    else this.#writeMap(value as Record<string, unknown>)
    this.#depth -= 1
  }

  #writeList(list: unknown[]): void {
    this.#writeHead(list.length, 0x90, 15, 0xdc)
    for (const item of list) this.write(item)
  }

  #writeMap(map: Record<string, unknown>): void {
    const keys = Object.keys(map)
    let count = keys.length
    for (const key of keys) if (map[key] === undefined) count -= 1
    this.#writeHead(count, 0x80, 15, 0xde)
    for (const key of keys) {
      const value = map[key]
      if (value === undefined) continue
      this.#writeText(key)
      this.write(value)
    }
  }

  /** `wide`: the first of the two codes with a count of 16 and of 32 bits. */
  #writeHead(count: number, short: number, most: number, wide: number): void {
    this.#need(5)
    if (count <= most) this.#bytes[this.#at++] = short | count
    else if (count < 0x10000) this.#put16(wide, count)
    else this.#put32(wide + 1, count)
  }

  #writeText(text: string): void {
    const { length } = text
    this.#need(length * 3 + 5)
    if (length <= SHORT_TEXT && this.#writeAscii(text)) return
    // How long it will be decides how long its head is; three bytes a letter is the most.
    const headBytes = length * 3 < 32 ? 1 : length * 3 < 0x100 ? 2 : length * 3 < 0x10000 ? 3 : 5
    const count = this.#bytes.write(text, this.#at + headBytes, length * 3, 'utf8')
    if (headBytes === 1) this.#bytes[this.#at++] = 0xa0 | count
    else if (headBytes === 2) this.#put8(0xd9, count)
    else if (headBytes === 3) this.#put16(0xda, count)
    else this.#put32(0xdb, count)
    this.#at += count
  }

  /** `false`: there is another letter in it, and nothing was written. */
  #writeAscii(text: string): boolean {
    const { length } = text
    const bytes = this.#bytes
    const from = this.#at + (length < 32 ? 1 : 2)
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return false
      bytes[from + i] = code
    }
    if (length < 32) bytes[this.#at] = 0xa0 | length
    else {
      bytes[this.#at] = 0xd9
      bytes[this.#at + 1] = length
    }
    this.#at = from + length
    return true
  }

  #writeNumber(value: number): void {
    this.#need(9)
    if (!Number.isSafeInteger(value)) this.#put64f(value)
    else if (value >= 0) this.#writeCount(value)
    else if (value >= -32) this.#bytes[this.#at++] = value & 0xff
    else if (value >= -(2 ** 31)) this.#put32(0xd2, value)
    else this.#put64(0xd3, value)
  }

  #writeCount(value: number): void {
    if (value < 0x80) this.#bytes[this.#at++] = value
    else if (value < 0x100) this.#put8(0xcc, value)
    else if (value < 0x10000) this.#put16(0xcd, value)
    else if (value < TWO_32) this.#put32(0xce, value)
    else this.#put64(0xcf, value)
  }

  #writeBytes(value: Uint8Array): void {
    const { length } = value
    this.#need(length + 5)
    if (length < 0x100) this.#put8(0xc4, length)
    else if (length < 0x10000) this.#put16(0xc5, length)
    else this.#put32(0xc6, length)
    this.#bytes.set(value, this.#at)
    this.#at += length
  }

  #writeByte(byte: number): void {
    this.#need(1)
    this.#bytes[this.#at++] = byte
  }

  #put8(code: number, value: number): void {
    this.#bytes[this.#at] = code
    this.#bytes[this.#at + 1] = value
    this.#at += 2
  }

  #put16(code: number, value: number): void {
    this.#bytes[this.#at] = code
    this.#view.setUint16(this.#at + 1, value)
    this.#at += 3
  }

  #put32(code: number, value: number): void {
    this.#bytes[this.#at] = code
    this.#view.setUint32(this.#at + 1, value)
    this.#at += 5
  }

  #put64(code: number, value: number): void {
    this.#bytes[this.#at] = code
    this.#view.setUint32(this.#at + 1, Math.floor(value / TWO_32))
    this.#view.setUint32(this.#at + 5, value >>> 0)
    this.#at += 9
  }

  #put64f(value: number): void {
    this.#bytes[this.#at] = 0xcb
    this.#view.setFloat64(this.#at + 1, value)
    this.#at += 9
  }

  #need(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const more = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + bytes))
    this.#bytes.copy(more, 0, 0, this.#at)
    this.#bytes = more
    this.#view = viewOf(more)
  }
}

/** The one value that the bytes are. Bytes in it are copies. Throws for anything else. */
export function unpack(bytes: Buffer): unknown {
  const reader = new Unpacker(bytes)
  const value = reader.read()
  if (!reader.isAtEnd) throw new RangeError('There are more bytes than the value has.')
  return value
}

class Unpacker {
  readonly #bytes: Buffer
  readonly #view: DataView
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  read(): unknown {
    const code = this.#view.getUint8(this.#at)
    this.#at += 1
    if (code < 0x80) return code
    if (code < 0x90) return this.#map(code & 0x0f)
    if (code < 0xa0) return this.#list(code & 0x0f)
    if (code < 0xc0) return this.#text(code & 0x1f)
    if (code >= 0xe0) return code - 0x100
    return this.#readLong(code)
  }

  #readLong(code: number): unknown {
    switch (code) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return this.#view.getFloat32(this.#skip(4))
      case 0xcb:
        return this.#view.getFloat64(this.#skip(8))
      case 0xcc:
        return this.#uint8()
      case 0xcd:
        return this.#uint16()
      case 0xce:
        return this.#uint32()
      case 0xcf:
        return Number(this.#view.getBigUint64(this.#skip(8)))
      case 0xd0:
        return this.#view.getInt8(this.#skip(1))
      case 0xd1:
        return this.#view.getInt16(this.#skip(2))
      case 0xd2:
        return this.#view.getInt32(this.#skip(4))
      case 0xd3:
        return Number(this.#view.getBigInt64(this.#skip(8)))
      default:
        return this.#readSized(code)
    }
  }

  #readSized(code: number): unknown {
    switch (code) {
      case 0xc4:
        return this.#copy(this.#uint8())
      case 0xc5:
        return this.#copy(this.#uint16())
      case 0xc6:
        return this.#copy(this.#uint32())
      case 0xd9:
        return this.#text(this.#uint8())
      case 0xda:
        return this.#text(this.#uint16())
      case 0xdb:
        return this.#text(this.#uint32())
      case 0xdc:
        return this.#list(this.#uint16())
      case 0xdd:
        return this.#list(this.#uint32())
      case 0xde:
        return this.#map(this.#uint16())
      case 0xdf:
        return this.#map(this.#uint32())
      default:
        throw new RangeError(`0x${code.toString(16)} begins no value that is JSON or bytes.`)
    }
  }

  #map(count: number): object {
    const map: Record<string, unknown> = {}
    for (let i = 0; i < count; i += 1) {
      const key = this.#key()
      if (key === '__proto__') define(map, key, this.read())
      else map[key] = this.read()
    }
    return map
  }

  #list(count: number): unknown[] {
    const list: unknown[] = []
    for (let i = 0; i < count; i += 1) list.push(this.read())
    return list
  }

  /** Mostly one of few, so that it is looked for among those that were met before. */
  #key(): string {
    const code = this.#view.getUint8(this.#at)
    if ((code & 0xe0) !== 0xa0) return String(this.read())
    const from = this.#at + 1
    const end = from + (code & 0x1f)
    const bytes = this.#bytes
    let hash = code
    for (let i = from; i < end; i += 1) hash = (hash * 31 + (bytes[i] as number)) | 0
    const known = KEYS[hash & KEY_MASK]
    if (known && isSame(known.bytes, bytes, from, end)) {
      this.#at = end
      return known.key
    }
    this.#at = from
    const key = this.#text(end - from)
    KEYS[hash & KEY_MASK] = { key, bytes: Buffer.from(bytes.subarray(from, end)) }
    return key
  }

  #text(length: number): string {
    const from = this.#skip(length)
    return this.#bytes.toString('utf8', from, this.#at)
  }

  #copy(length: number): Buffer {
    const from = this.#skip(length)
    return Buffer.from(this.#bytes.subarray(from, this.#at))
  }

  #uint8(): number {
    return this.#view.getUint8(this.#skip(1))
  }

  #uint16(): number {
    return this.#view.getUint16(this.#skip(2))
  }

  #uint32(): number {
    return this.#view.getUint32(this.#skip(4))
  }

  /** Answers where it was. */
  #skip(length: number): number {
    const from = this.#at
    if (from + length > this.#bytes.length) throw new RangeError('The value is cut off.')
    this.#at = from + length
    return from
  }
}

const KEY_MASK = 0xfff
const KEYS: ({ key: string; bytes: Buffer } | undefined)[] = new Array(KEY_MASK + 1).fill(undefined)

function isSame(known: Buffer, bytes: Buffer, from: number, end: number): boolean {
  if (known.length !== end - from) return false
  for (let i = 0; i < known.length; i += 1) if (known[i] !== bytes[from + i]) return false
  return true
}

/** As `JSON.parse` does: a field like any other. */
function define(map: object, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}
