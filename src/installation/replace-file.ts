/** Small files that a start cannot do without: keys, ids, what runs. */
import { renameSync, writeFileSync } from 'node:fs'

/**
 * Writes all of it or nothing, readable by its owner only, and on the disk when this returns: killed in
 * between, the file is as it was before.
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`
  writeFileSync(beside, text, { mode: 0o600, flush: true })
  renameSync(beside, file)
}
