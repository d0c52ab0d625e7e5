/** Short texts of threads and runs, for lists. Runyard's own extension. */
import { askAgent } from './agent-request.ts'
import type { AgentServer } from './agent-server.tsx'

/** Of a thread or a run; `null`: it has none. */
export interface Excerpt {
  /** The first message, or what a run was given. */
  first: string | null
  last: string | null
  /** What it asks, or asked. */
  question: string | null
  input_tokens: number | null
  output_tokens: number | null
}

interface Row {
  thread_id: string
  state_updated_at: string
  excerpt?: Excerpt | undefined
}

/** A page that the server has cut off is continued so often. The next poll reads the rest. */
const ROUNDS = 3

/** Adds excerpts to the threads: of unchanged ones those in `known`. Without them if they cannot be read. */
export async function withExcerpts<T extends Row>(
  server: AgentServer,
  threads: readonly T[],
  known: readonly Row[],
  signal: AbortSignal,
): Promise<T[]> {
  const keyOf = ({ thread_id, state_updated_at }: Row) => `${thread_id} ${state_updated_at}`
  const excerpts = new Map(known.map((one) => [keyOf(one), one.excerpt]))
  for (let round = 0; round < ROUNDS; round += 1) {
    const missing = threads.filter((one) => excerpts.get(keyOf(one)) === undefined)
    if (missing.length === 0) break
    const ids = missing.map(({ thread_id }) => thread_id)
    const select = ['thread_id', 'state_updated_at', 'excerpt']
    const asked = { ids, select, limit: ids.length }
    const found = await askAgent<Row[]>(server, 'POST', '/threads/search', asked, signal).catch(
      () => [],
    )
    if (found.length === 0) break
    const at = new Map(threads.map((one) => [one.thread_id, keyOf(one)]))
    for (const one of found) excerpts.set(at.get(one.thread_id) ?? '', one.excerpt)
  }
  return threads.map((one) => ({ ...one, excerpt: excerpts.get(keyOf(one)) }))
}
