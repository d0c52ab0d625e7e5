/** Pauses another process, at a moment at which the others can go on. */
import { DatabaseSync } from 'node:sqlite'

/**
 * Stops a process where it holds no lock on the SQLite file at `path`: one that sleeps in the middle
 * of a transaction keeps every other one from writing, which only its waking or its end can change.
 */
export function pause(send: (signal: 'SIGSTOP' | 'SIGCONT') => void, path: string): void {
  send('SIGSTOP')
  while (isLocked(path)) {
    send('SIGCONT')
    send('SIGSTOP')
  }
}

function isLocked(path: string): boolean {
  const db = new DatabaseSync(path, { timeout: 50 })
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}
