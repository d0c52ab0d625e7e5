/** Follows a thread's events, over all its runs. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { ThreadEvent } from '../core/agent/event.ts'
import type { LiveThread } from './live-thread.ts'
import { PageSize } from './page-size.ts'

/**
 * How often to look for events of other processes, in ms. Those of this one are announced. A look that
 * finds nothing costs about 11 µs (SQLite).
 */
const POLL_MS = 200
/** The same when other processes announce their events: only a safety net. */
const ANNOUNCED_POLL_MS = 1_000

interface ThreadSource {
  store: Pick<AgentStore, 'threads' | 'events'>
  /** Announces events that were written to the thread here. */
  live: LiveThread
  /** How much is read at once, in characters. Default 262,144. */
  pageChars?: number
  /** Whether other processes announce their events now. Default: no. */
  isAnnounced?: () => boolean
  /** Throws when the log was stopped. */
  throwIfStopped: () => void
}

export interface ThreadStart {
  /** The `seq` after which to begin. 0: at the first event; `undefined`: now. */
  after: number | undefined
  /** Waits for a thread that does not exist yet. */
  isAwaited?: boolean
  signal: AbortSignal
}

/** See `EventLog.followThreadPages`. */
export async function* threadPages(
  source: ThreadSource,
  thread_id: string,
  { after, isAwaited = false, signal }: ThreadStart,
): AsyncGenerator<readonly ThreadEvent[], void, undefined> {
  const { store, live, pageChars, isAnnounced, throwIfStopped } = source
  let cursor = after === 0 ? 0 : await startOf(store, thread_id, after)
  const size = new PageSize(pageChars)
  let unread: number | undefined
  let sawNoChange = false
  for (;;) {
    const seen = live.version
    const recent = live.since(cursor, size.events)
    const isCurrent = unread === live.unread && !sawNoChange
    const isStored = !recent || (recent.length === 0 && !isCurrent)
    unread = live.unread
    const read = () => store.events.readThread(thread_id, cursor, size.events)
    // No other follower has read events that were not announced.
    const shared = () => (sawNoChange ? read() : live.page(cursor, size.events, read))
    const page = isStored ? await shared() : recent
    sawNoChange = false
    signal.throwIfAborted()
    throwIfStopped()
    if (page.length > 0) {
      size.learn(page)
      cursor = page.at(-1)?.seq ?? cursor
      yield page
      continue
    }
    if (isStored && !(isAwaited && cursor === 0) && (await isGone(store, thread_id, cursor))) return
    await live.changed(seen, isAnnounced?.() ? ANNOUNCED_POLL_MS : POLL_MS, signal)
    sawNoChange = live.version === seen
  }
}

/** A `seq` that was not used yet counts as the last one. */
async function startOf(
  store: ThreadSource['store'],
  thread_id: string,
  after: number | undefined,
): Promise<number> {
  const last = await store.events.lastSeq(thread_id)
  return Math.min(after ?? last, last)
}

/**
 * Whether the thread was removed. Its numbers go with it: if it had some, the thread itself need not be
 * read.
 */
async function isGone(
  store: ThreadSource['store'],
  thread_id: string,
  cursor: number,
): Promise<boolean> {
  if (cursor > 0) return (await store.events.lastSeq(thread_id)) < cursor
  return (await store.threads.get(thread_id, { isDropped: true })) === undefined
}
