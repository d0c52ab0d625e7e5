/** Which database an agent server of the tests keeps its data in: by `TEST_DATABASE`, SQLite or `postgres`. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { withSchema } from '../../../src/core/database-url.ts'

/** The same place for the same folder. */
export async function agentDatabase(dataDir: string): Promise<string> {
  if (process.env.TEST_DATABASE !== 'postgres') return join(dataDir, 'agent.db')
  const { postgresUrl, schemaPrefix } = await import('../postgres/postgres.ts')
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 32)
  return withSchema(await postgresUrl(), `${schemaPrefix()}${name}`)
}
