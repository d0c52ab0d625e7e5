/** Vitest's global set-up: a place for a PostgreSQL that the first test to need one starts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { dropTestSchemas } from '../postgres/postgres.ts'
import { stopClusterIn } from '../postgres/postgres-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the tests' cluster lies, once it was started; its name is this run's own. */
    postgresFolder: string
    /** The process that the cluster ends with. */
    postgresOwner: number
  }
}

export default function providePostgres(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runyard-pg-'))
  project.provide('postgresFolder', folder)
  project.provide('postgresOwner', process.pid)
  return async () => {
    await dropTestSchemas(folder)
    await stopClusterIn(join(folder, 'cluster'))
    rmSync(folder, { recursive: true, force: true })
  }
}
