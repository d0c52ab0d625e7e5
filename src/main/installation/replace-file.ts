/** Small files that a start needs: keys, ids, running revisions. */
import { renameSync, writeFileSync } from 'node:fs'

/**
 * Writes all of it or nothing, readable by its owner only, and on the disk when this returns. After a kill in
 * between, the file is unchanged.
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`
  writeFileSync(beside, text, { mode: 0o600, flush: true })
  renameSync(beside, file)
}
