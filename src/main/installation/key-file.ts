/** Small files that a start needs: keys, ids, running revisions. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The length of the keys that Runyard makes, in bytes. */
export const KEY_BYTES = 32

/**
 * Writes all of it or nothing, readable by its owner only, and on the disk when this returns. After a kill in
 * between, the file is unchanged.
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`
  writeFileSync(beside, text, { mode: 0o600, flush: true })
  renameSync(beside, file)
}

/** The keys of an `encryption.key`, the present one first; none if there is no such file. */
export function readKeys(file: string): Buffer[] {
  return existsSync(file) ? parseKeys(readFileSync(file, 'utf8')) : []
}

/** The inverse of `formatKeys`. */
export function parseKeys(text: string): Buffer[] {
  const lines = text.split('\n').filter(Boolean)
  return lines.map((line) => Buffer.from(line, 'base64'))
}

/** One key a line. */
export function formatKeys(keys: readonly Buffer[]): string {
  return keys.map((key) => `${key.toString('base64')}\n`).join('')
}
