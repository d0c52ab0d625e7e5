/** The step in which each message entered the state: its time, and the checkpoint before it. */
import type { Step } from '../queries.ts'

export interface Seen {
  /** The time, in ms since 1970. */
  at: number | undefined
  /** The checkpoint before the message: a run from there replaces it. */
  before: string | undefined
  /** The id of the run that added it. */
  run: unknown
}

/**
 * By message id. `history` in the server's order, newest step first; it may lack the oldest steps: where a message came
 * from is known if the step before its first one is there.
 */
export function seenStates(
  history: readonly Step[],
  messagesKey: string | undefined,
): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>()
  const known = new Set(history.map(({ checkpoint }) => checkpoint.checkpoint_id))
  const earlier = new Set<string>()
  for (const { values, created_at, parent_checkpoint, metadata } of history.toReversed()) {
    const messages = messagesKey ? values?.[messagesKey] : undefined
    const isFirst = parent_checkpoint && !known.has(parent_checkpoint.checkpoint_id)
    for (const { id } of Array.isArray(messages) ? messages : []) {
      if (typeof id !== 'string' || seen.has(id) || earlier.has(id)) continue
      if (isFirst) {
        earlier.add(id)
        continue
      }
      seen.set(id, {
        at: created_at ? Date.parse(created_at) : undefined,
        before: parent_checkpoint?.checkpoint_id ?? undefined,
        run: (metadata as { run_id?: unknown } | null)?.run_id,
      })
    }
  }
  return seen
}
