/** In which step each message came into the state: when that was, and where to go on instead. */
import type { Step } from '../queries.ts'

export interface Seen {
  /** When, in ms since 1970. */
  at: number | undefined
  /** The checkpoint before it: a run from there says it anew. */
  before: string | undefined
}

/** By the messages' ids. `history` as the server lists it, the newest step first. */
export function seenStates(
  history: readonly Step[],
  messagesKey: string | undefined,
): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const { values, created_at, parent_checkpoint } of history.toReversed()) {
    const messages = messagesKey ? values?.[messagesKey] : undefined
    for (const { id } of Array.isArray(messages) ? messages : []) {
      if (typeof id !== 'string' || seen.has(id)) continue
      seen.set(id, {
        at: created_at ? Date.parse(created_at) : undefined,
        before: parent_checkpoint?.checkpoint_id ?? undefined,
      })
    }
  }
  return seen
}
