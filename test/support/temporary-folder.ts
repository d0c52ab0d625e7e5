/** Folders for tests. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** The real path of a new folder. It is removed when the tests of the file are over, or earlier by its caller. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runyard-')))
  made.add(folder)
  return folder
}

export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  made.clear()
}
