/** A lock on a folder. It ends with the process that holds it, however that ends. */
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../core/errors.ts'

/**
 * Takes the lock, and returns a function that releases it. SQLite holds it as a lock of the operating system, so that a
 * killed process leaves nothing behind. Throws `conflict` when another process has it.
 */
export function lockFolder(lockFile: string): () => void {
  const db = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new AppError(
      'conflict',
      `Another Runyard is using this data folder (${lockFile} is locked): stop it, or choose ` +
        'another folder with RUNYARD_DATA_DIR.',
      { cause },
    )
  }
  return () => db.close()
}
