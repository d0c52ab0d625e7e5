/** A PostgreSQL of the bench's own, which writes to the disk as in production. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../test/support/postgres/postgres-cluster.ts'
import { temporaryFolder } from './server.ts'

export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await temporaryFolder()
  // It runs as another user if the bench runs as root.
  chmodSync(folder.path, 0o755)
  const place = join(folder.path, 'cluster')
  mkdirSync(place)
  const cluster = await startCluster(place, { owner: process.pid, isDurable: true })
  return {
    url: cluster.url,
    async stop() {
      await cluster.stop('fast')
      await folder.remove()
    },
  }
}
