/** Pauses another process, at a moment at which the others can go on. */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { whileBusy } from '../../../src/storage/db/sqlite/busy.ts'

/**
 * Stops a process where it holds no lock on the SQLite file at `path`: one that sleeps in the middle
 * of a transaction keeps every other one from writing, which only its waking or its end can change.
 * So it is stopped while the lock is held here. Throws, and stops nothing, where there is no such moment
 * for `limitMs`, or the file cannot be locked for another reason.
 */
export async function pause(
  stop: (signal: 'SIGSTOP') => void,
  path: string,
  limitMs = 30_000,
): Promise<void> {
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    await whileBusy(path, () => db.exec('BEGIN IMMEDIATE'), limitMs)
    stop('SIGSTOP')
    // A signal takes a moment to arrive.
    await wait(1)
    db.exec('ROLLBACK')
  } finally {
    db.close()
  }
}
