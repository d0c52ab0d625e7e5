/** Reading a thread's events as they come, over all its runs. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { ThreadEvent } from '../core/agent/event.ts'
import type { LiveThread } from './live-thread.ts'
import { PageSize } from './page-size.ts'

/**
 * How often the store is asked for what another process wrote, in ms. What is written here is
 * announced. To ask in vain costs about 11 µs (SQLite).
 */
const POLL_MS = 200
/** The same while other processes announce what they write: a safety net. */
const ANNOUNCED_POLL_MS = 1_000

interface ThreadSource {
  store: Pick<AgentStore, 'threads' | 'events'>
  /** Announces that something was written to the thread here. */
  live: LiveThread
  /** How much is read at once, in characters. Default 262,144. */
  pageChars?: number
  /** Whether what other processes write is announced now. Default: it is not. */
  isAnnounced?: () => boolean
  /** Throws when the log was stopped. */
  throwIfStopped: () => void
}

export interface ThreadStart {
  /** The `seq` after which to begin; 0: at the first; `undefined`: now. */
  after: number | undefined
  /** There may be no such thread yet: it is waited for. */
  isAwaited?: boolean
  signal: AbortSignal
}

/** See `EventLog.followThread`. */
export async function* followThread(
  { store, live, pageChars, isAnnounced, throwIfStopped }: ThreadSource,
  thread_id: string,
  { after, isAwaited = false, signal }: ThreadStart,
): AsyncGenerator<ThreadEvent, void, undefined> {
  const last = await store.events.lastSeq(thread_id)
  let cursor = Math.min(after ?? last, last)
  const size = new PageSize(pageChars)
  let sawNoChange = false
  for (;;) {
    const seen = live.version
    const read = () => store.events.readThread(thread_id, cursor, size.events)
    // What is not announced has been read by nobody else.
    const page = await (sawNoChange ? read() : live.page(cursor, size.events, read))
    sawNoChange = false
    size.learn(page)
    for (const event of page) {
      signal.throwIfAborted()
      throwIfStopped()
      cursor = event.seq
      yield event
    }
    signal.throwIfAborted()
    throwIfStopped()
    if (page.length > 0) continue
    if (!(isAwaited && cursor === 0) && (await isGone(store, thread_id, cursor))) return
    await live.changed(seen, isAnnounced?.() ? ANNOUNCED_POLL_MS : POLL_MS, signal)
    sawNoChange = live.version === seen
  }
}

/** Its numbers go with a thread: where some were given, there is no need to read the thread. */
async function isGone(
  store: ThreadSource['store'],
  thread_id: string,
  cursor: number,
): Promise<boolean> {
  if (cursor > 0) return (await store.events.lastSeq(thread_id)) < cursor
  return (await store.threads.get(thread_id, { isDropped: true })) === undefined
}
