/**
 * Threads that an older version of a graph has left in the middle: interrupted, or busy. Whether a
 * newer version can go on with them is found out before it gets its first request.
 */

/** A thread that the new version cannot go on with as it is. */
export interface BrokenThread {
  thread_id: string
  status: 'interrupted' | 'busy'
  graph_id: string
  /** The graph itself is not there any more; then nothing else is said. */
  is_graph_missing: boolean
  /** Nodes that come next on the thread and that the graph does not have. */
  missing_nodes: string[]
  /** State keys that the thread has a value of and that the graph does not have. */
  missing_keys: string[]
}

export interface ParkedThreads {
  checked_at: string
  /** How many threads are parked; of more than 1,000 the latest are looked at. */
  parked: number
  /** How many of them are broken. */
  broken: number
  /** The first hundred of those. */
  threads: BrokenThread[]
}

/** What a deployment does about broken threads: tells of them, or keeps the old revision. */
export const PARKED_THREADS_RULES = ['warn', 'block'] as const

/** In a sentence, for a status message. */
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
