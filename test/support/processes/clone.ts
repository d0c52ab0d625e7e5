/** A fresh clone of this checkout, as it stands now: what is committed and what is not ignored. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runNow } from './program.ts'

const root = resolve(import.meta.dirname, '../../..')

export interface Clone {
  folder: string
  remove(): void
}

export function makeClone(): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-clone-'))
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = runNow('git', listing, { cwd: root }).split('\0')
  for (const file of files) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file))
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
