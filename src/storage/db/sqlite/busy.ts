/** Waits for a lock that another connection holds. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseAway } from '../../../core/errors.ts'

/** How long a statement waits for a lock, in ms. */
const LOCK_LIMIT_MS = 5000
const SQLITE_BUSY = 5

/**
 * Runs `work` again until no lock is in its way. Throws `unavailable` after `limitMs`. SQLite's own
 * busy_timeout would sleep on this thread: nothing else would be served, and two connections of one
 * process would block each other. So it is 0, and we wait here.
 */
export async function whileBusy<T>(
  path: string,
  work: () => T,
  limitMs = LOCK_LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs
  for (let delay = 0; ; delay = Math.min(delay + 1, 10)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) throw lockedTooLong(path, limitMs, error)
    }
    await (delay === 0 ? nextTurn() : sleep(delay))
  }
}

/** Whether a lock was in the way. The primary code shows it; extended codes are in the higher bits. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return (Number(error.errcode) & 0xff) === SQLITE_BUSY
}

function lockedTooLong(path: string, limitMs: number, cause: unknown): DatabaseAway {
  const message = `The database ${path} was locked by another process for ${limitMs} ms; try again.`
  return new DatabaseAway(message, cause)
}
