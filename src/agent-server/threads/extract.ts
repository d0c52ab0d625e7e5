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

const PATH = new RegExp(EXTRACT_PATTERN)
const STEP = /\.([^.[\]]+)|\[(-?\d+)\]/g

/**
 * `root`, then any number of `.key` and `[place]`; keys have neither dots nor brackets. `undefined`:
 * not a path.
 */
export function parseExtractPath(text: string): ExtractPath | undefined {
  if (text.length > MAX_PATH_LENGTH || !PATH.test(text)) return undefined
  const root = EXTRACT_ROOTS.find((one) => text.startsWith(one)) as Root
  const steps = [...text.slice(root.length).matchAll(STEP)]
  return { root, steps: steps.map(([, key, place]) => key ?? Number(place)) }
}

/** The value at each path; `null` where the thread has none. */
export function extractFrom(thread: Extractable, paths: Record<string, ExtractPath>): JsonObject {
  const found = Object.entries(paths).map(([alias, path]) => [alias, valueAt(thread, path)])
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
