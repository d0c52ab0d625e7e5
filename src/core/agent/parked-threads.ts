/**
 * Threads that an older version of a graph has left in the middle: interrupted, or busy. Before a newer
 * version gets its first request, Runyard finds out whether it can go on with them.
 */
import { isObject } from '../json.ts'

/** A thread that the new version cannot go on with. */
export interface BrokenThread {
  thread_id: string
  status: 'interrupted' | 'busy'
  graph_id: string
  /** The graph no longer exists. Then the other fields are absent. */
  is_graph_missing: boolean
  /** Nodes that come next on the thread and no longer exist. */
  missing_nodes: string[]
  /** State keys that have a value on the thread and no longer exist. */
  missing_keys: string[]
}

export interface ParkedThreads {
  checked_at: string
  /** How many threads are parked. Of more than 1,000 only the latest are checked. */
  parked: number
  /** How many of them are broken. */
  broken: number
  /** The first hundred of those. */
  threads: BrokenThread[]
}

/** How many broken threads are listed at most. */
export const MOST_TOLD = 100

/** Checks the value, because the process that sends it runs the project's code. */
export function isParkedThreads(value: unknown): value is ParkedThreads {
  if (!isObject(value)) return false
  const { checked_at, parked, broken, threads } = value
  const isCounted = [parked, broken].every((one) => Number.isSafeInteger(one) && Number(one) >= 0)
  if (!isCounted || typeof checked_at !== 'string' || !Array.isArray(threads)) return false
  return threads.length <= MOST_TOLD && threads.every(isBrokenThread)
}

function isBrokenThread(value: unknown): boolean {
  if (!isObject(value)) return false
  const { thread_id, status, graph_id, is_graph_missing, missing_nodes, missing_keys } = value
  return (
    [thread_id, graph_id, ...textsIn(missing_nodes), ...textsIn(missing_keys)].every(isText) &&
    (status === 'interrupted' || status === 'busy') &&
    typeof is_graph_missing === 'boolean'
  )
}

/** A value that is no list gives one invalid item. */
function textsIn(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [undefined]
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** What a deployment does about broken threads: it warns of them, or keeps the old revision. */
export const PARKED_THREADS_RULES = ['warn', 'block'] as const

/** A sentence for a status message. */
export function describeBroken({ broken, threads }: ParkedThreads): string {
  const missing = new Set(
    threads.flatMap(({ graph_id, is_graph_missing, missing_nodes, missing_keys }) => [
      ...(is_graph_missing ? [`graph ${graph_id}`] : []),
      ...missing_nodes.map((node) => `node ${node} of ${graph_id}`),
      ...missing_keys.map((key) => `state key ${key} of ${graph_id}`),
    ]),
  )
  return `${broken} parked thread(s) need what this revision does not have: ${[...missing].join(', ')}.`
}
