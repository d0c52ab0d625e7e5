/**
 * Vitest's global set-up for tests that deploy: each `npm ci` of their builds took 20 s of processor time, most of them
 * for the same packages. It makes the `npm` that `shared-installs-setup.ts` puts on the PATH; see `shared-installs.sh`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { runNow } from '../processes/program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with the `npm` of builds; what they have installed lies beside it. */
    installsFolder: string
  }
}

export default function provideInstalls(project: TestProject): () => void {
  // For this user only: builds in a sandbox do not find it, and have npm itself.
  const folder = mkdtempSync(join(tmpdir(), 'runyard-installs-'))
  const script = readFileSync(join(import.meta.dirname, 'shared-installs.sh'), 'utf8')
  const npm = runNow('sh', ['-c', 'command -v npm']).trim()
  writeFileSync(join(folder, 'npm'), script.replace('@NPM@', npm), { mode: 0o755 })
  project.provide('installsFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
