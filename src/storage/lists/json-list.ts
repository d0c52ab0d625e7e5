/** Finds the lists in a JSON text, as bytes. Nothing is parsed or serialized again. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The items of a list without white space around it. `undefined`: the text is not a list. */
export function splitJsonList(json: Uint8Array): Uint8Array[] | undefined {
  if (json[0] !== OPEN_LIST || json.at(-1) !== CLOSE_LIST || json.length < 3) return undefined
  const items: Uint8Array[] = []
  let depth = 0
  let start = 1
  for (let at = 1; at < json.length - 1; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
    else if (byte === COMMA && depth === 0) {
      items.push(json.subarray(start, at))
      start = at + 1
    }
  }
  items.push(json.subarray(start, json.length - 1))
  return items
}

interface JsonList {
  /** Where its bracket opens, and where the text continues after it. */
  start: number
  end: number
  items: Uint8Array[]
}

/** A list whose end has not come yet. */
interface OpenList {
  start: number
  depth: number
  commas: number[]
}

/** The wanted lists of the text, at any depth, in order. None of them lies within another. */
export function findJsonLists(
  json: Uint8Array,
  isWanted: (items: number, bytes: number) => boolean,
): JsonList[] {
  const found: JsonList[] = []
  const open: OpenList[] = []
  let depth = 0
  const close = (list: OpenList | undefined, end: number) => {
    if (!list || !isWanted(list.commas.length + 1, end - list.start)) return
    while (found.length > 0 && Number(found.at(-1)?.start) > list.start) found.pop()
    const items = [list.start, ...list.commas].map((before, i) => {
      return json.subarray(before + 1, list.commas[i] ?? end - 1)
    })
    found.push({ start: list.start, end, items })
  }
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OPEN_OBJECT) depth += 1
    else if (byte === CLOSE_OBJECT) depth -= 1
    else if (byte === OPEN_LIST) open.push({ start: at, depth: ++depth, commas: [] })
    else if (byte === CLOSE_LIST) {
      depth -= 1
      close(open.pop(), at + 1)
    } else if (byte === COMMA) {
      const list = open.at(-1)
      if (list?.depth === depth) list.commas.push(at)
    }
  }
  return found
}

/** Where the string that begins here ends. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === BACKSLASH) at += 1
    else if (json[at] === QUOTE) return at
  }
  return json.length
}

/** The list of these items. It is byte by byte what `splitJsonList` got. */
export function joinJsonList(items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, item) => sum + item.length + 1, 1)
  const json = new Uint8Array(length)
  let at = 0
  for (const item of items) {
    json[at] = at === 0 ? OPEN_LIST : COMMA
    json.set(item, at + 1)
    at += item.length + 1
  }
  json[length - 1] = CLOSE_LIST
  return json
}
