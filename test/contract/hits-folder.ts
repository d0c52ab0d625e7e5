/** Vitest's global set-up: a folder for what the workers note, gone when all tests are over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where `operation-hits.ts` keeps its file. */
    hitsFolder: string
  }
}

export default function provideHitsFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-hits-'))
  project.provide('hitsFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
