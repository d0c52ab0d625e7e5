/** Gates at which graphs of the fixture projects wait, in this process or in another one. */
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

export interface Gate {
  /** What the graphs that wait at it are given as `gate`. */
  path: string
  /** Lets all of them through, now and later. */
  open(): void
}

/** Closed. It is removed with the test that it is made in. */
export async function closedGate(): Promise<Gate> {
  const folder = temporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'open')
  return { path, open: () => writeFileSync(path, '') }
}
