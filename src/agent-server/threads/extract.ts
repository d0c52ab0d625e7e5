/** Extracts single values from a thread, by paths such as `values.messages[-1].content`. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** The parts of a thread that a path may begin with. */
export const EXTRACT_ROOTS = ['values', 'metadata', 'config', 'interrupts'] as const

type Root = (typeof EXTRACT_ROOTS)[number]
type Extractable = { [R in Root]: unknown }

export interface ExtractPath {
  root: Root
  /** Keys of objects and places in lists; negative places count from the end. */
  steps: (string | number)[]
}

/** Maximum length of a path, in characters. */
export const MAX_PATH_LENGTH = 512

/** The paths that `parseExtractPath` accepts, as a regular expression. */
export const EXTRACT_PATTERN = `^(${EXTRACT_ROOTS.join('|')})(\\.[^.[\\]]+|\\[-?[0-9]{1,9}\\])*$`

const KEY = /^[^.[\]]+/
const PLACE = /^\[(-?\d{1,9})\]/

/**
 * `root`, then any number of `.key` and `[place]`; keys have neither dots nor brackets. `undefined`:
 * not a path.
 */
export function parseExtractPath(text: string): ExtractPath | undefined {
  const root = EXTRACT_ROOTS.find(
    (one) => text === one || (/^[.[]/.test(text.slice(one.length)) && text.startsWith(one)),
  )
  if (!root || text.length > MAX_PATH_LENGTH) return undefined
  const steps: (string | number)[] = []
  let rest = text.slice(root.length)
  while (rest !== '') {
    const place = PLACE.exec(rest)
    const key = rest.startsWith('.') ? KEY.exec(rest.slice(1)) : null
    if (!place && !key) return undefined
    steps.push(place ? Number(place[1]) : String(key?.[0]))
    rest = rest.slice(place ? place[0].length : 1 + String(key?.[0]).length)
  }
  return { root, steps }
}

/** The value at each path; `null` where the thread has none. */
export function extractFrom(thread: Extractable, paths: Record<string, ExtractPath>): JsonObject {
  const found = Object.entries(paths).map(
    ([alias, path]) => [alias, valueAt(thread, path)] as const,
  )
  return Object.fromEntries(found)
}

function valueAt(thread: Extractable, { root, steps }: ExtractPath): JsonValue {
  let value = thread[root] as JsonValue | undefined
  for (const step of steps) value = stepInto(value, step)
  return value ?? null
}

function stepInto(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof step === 'number' ? value.at(step) : undefined
  if (!isObject(value)) return undefined
  return Object.hasOwn(value, step) ? value[step] : undefined
}
