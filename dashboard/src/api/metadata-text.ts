/** Metadata as people type it to search by: `team=blue size=2`, or JSON. */

/** `undefined`: the text is empty. Throws if the text is neither form. */
export function parseMetadata(text: string): Record<string, unknown> | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  if (typed.startsWith('{')) return JSON.parse(typed) as Record<string, unknown>
  return Object.fromEntries(typed.split(/\s+/).map(parsePair))
}

/** Whether the text is valid metadata to search by. */
export function isMetadata(text: string): boolean {
  try {
    parseMetadata(text)
    return true
  } catch {
    return false
  }
}

function parsePair(pair: string): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new Error(`"${pair}" is not key=value.`)
  return [pair.slice(0, at), readValue(pair.slice(at + 1))]
}

/** Numbers, true, false and null are parsed; anything else is text. */
function readValue(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|null|".*")$/.test(text)) return text
  return JSON.parse(text)
}

const OWN = new Set(['graph_id', 'assistant_id', 'created_by'])

/** The metadata as texts to search by, without those that the server sets. */
export function metadataPairs(metadata: Record<string, unknown> | null | undefined): string[] {
  const entries = Object.entries(metadata ?? {}).filter(([key]) => !OWN.has(key))
  return entries.map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
}
