/**
 * Finds the items of a MessagePack array, as bytes, and makes the array of them again. Nothing is decoded:
 * an item may be of any type, and an extension's content is its writer's.
 */

/** The items of the array in these bytes. `undefined`: they are something else, or encoded unusually. */
export function splitMsgpackList(bytes: Uint8Array): Uint8Array[] | undefined {
  const head = readHead(bytes, 0)
  if (!head || !isArray(bytes[0])) return undefined
  const items: Uint8Array[] = []
  let at = head.end
  for (let left = head.values; left > 0; left -= 1) {
    const end = endOfValue(bytes, at)
    if (end === undefined) return undefined
    items.push(bytes.subarray(at, end))
    at = end
  }
  // A head that is longer than needed could not be restored.
  return at === bytes.length && head.end === headOfList(items.length).length ? items : undefined
}

/** The array of these items. It is byte by byte what `splitMsgpackList` got. */
export function joinMsgpackList(items: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([headOfList(items.length), ...items])
}

/** The content of an extension of this type. `undefined`: the bytes are something else, or encoded unusually. */
export function openMsgpackExtension(bytes: Uint8Array, type: number): Uint8Array | undefined {
  const head = readHead(bytes, 0)
  if (!head || !isLongExtension(bytes[0]) || bytes[head.end - 1] !== type) return undefined
  const content = bytes.subarray(head.end)
  const isWhole = head.bytes === content.length
  return isWhole && headOfExtension(content.length, type).length === head.end ? content : undefined
}

/** The extension again, byte by byte as it was. */
export function closeMsgpackExtension(content: Uint8Array, type: number): Uint8Array {
  return Buffer.concat([headOfExtension(content.length, type), content])
}

/** The head of a value, and how many bytes or further values follow it. */
interface Head {
  end: number
  bytes: number
  values: number
}

/** The end of the value that begins at `start`. `undefined`: the bytes are cut off, or not MessagePack. */
function endOfValue(bytes: Uint8Array, start: number): number | undefined {
  let at = start
  for (let left = 1; left > 0; left -= 1) {
    const head = readHead(bytes, at)
    if (!head) return undefined
    at = head.end + head.bytes
    left += head.values
  }
  return at <= bytes.length ? at : undefined
}

/** How many bytes of length follow these first bytes, and what the length counts. */
const SIZED: ReadonlyMap<
  number,
  [lengthBytes: number, of: 'bytes' | 'extension' | 'array' | 'map']
> = new Map([
  [0xc4, [1, 'bytes']],
  [0xc5, [2, 'bytes']],
  [0xc6, [4, 'bytes']],
  [0xc7, [1, 'extension']],
  [0xc8, [2, 'extension']],
  [0xc9, [4, 'extension']],
  [0xd9, [1, 'bytes']],
  [0xda, [2, 'bytes']],
  [0xdb, [4, 'bytes']],
  [0xdc, [2, 'array']],
  [0xdd, [4, 'array']],
  [0xde, [2, 'map']],
  [0xdf, [4, 'map']],
])

/** How many bytes follow `0xc0` to `0xd8` where they need no length: nothing, booleans, numbers, … */
const FIXED: Readonly<Record<number, number>> = {
  ...{ 192: 0, 194: 0, 195: 0, 202: 4, 203: 8 },
  ...{ 204: 1, 205: 2, 206: 4, 207: 8, 208: 1, 209: 2, 210: 4, 211: 8 },
  ...{ 212: 2, 213: 3, 214: 5, 215: 9, 216: 17 },
}

function readHead(bytes: Uint8Array, at: number): Head | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  const head = (end: number, size: Partial<Head>): Head => ({ end, bytes: 0, values: 0, ...size })
  if (first < 0x80 || first >= 0xe0) return head(at + 1, {})
  if (first < 0x90) return head(at + 1, { values: 2 * (first & 0x0f) })
  if (first < 0xa0) return head(at + 1, { values: first & 0x0f })
  if (first < 0xc0) return head(at + 1, { bytes: first & 0x1f })
  const sized = SIZED.get(first)
  if (!sized) {
    const fixed = FIXED[first]
    return fixed === undefined ? undefined : head(at + 1, { bytes: fixed })
  }
  const [lengthBytes, of] = sized
  const end = at + 1 + lengthBytes
  if (end > bytes.length) return undefined
  const length = readNumber(bytes, at + 1, end)
  switch (of) {
    case 'bytes':
      return head(end, { bytes: length })
    case 'extension':
      return head(end + 1, { bytes: length })
    case 'array':
      return head(end, { values: length })
    case 'map':
      return head(end, { values: 2 * length })
  }
}

function readNumber(bytes: Uint8Array, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at += 1) number = number * 256 + Number(bytes[at])
  return number
}

function isArray(first = 0): boolean {
  return (first & 0xf0) === 0x90 || first === 0xdc || first === 0xdd
}

function isLongExtension(first = 0): boolean {
  return first >= 0xc7 && first <= 0xc9
}

function headOfList(length: number): Buffer {
  if (length < 16) return Buffer.of(0x90 | length)
  return length < 2 ** 16 ? withLength(0xdc, length, 2) : withLength(0xdd, length, 4)
}

function headOfExtension(length: number, type: number): Buffer {
  const lengthBytes = length < 2 ** 8 ? 1 : length < 2 ** 16 ? 2 : 4
  const first = { 1: 0xc7, 2: 0xc8, 4: 0xc9 }[lengthBytes]
  return Buffer.concat([withLength(first, length, lengthBytes), Buffer.of(type)])
}

function withLength(first: number, length: number, lengthBytes: number): Buffer {
  const head = Buffer.alloc(1 + lengthBytes)
  head[0] = first
  head.writeUIntBE(length, 1, lengthBytes)
  return head
}
