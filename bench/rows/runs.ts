/** What a run costs around its graph. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { rate } from '../clock.ts'
import { startPostgres } from '../postgres.ts'
import type { Row } from '../row.ts'
import { benchProject, type Server, startServer, temporaryFolder } from '../server.ts'

const CLIENTS = 16
const MS = 4000
const WARM_UP_MS = 2000

const body = JSON.stringify({
  assistant_id: 'echo',
  input: { messages: [{ role: 'user', content: 'Hello' }] },
})

/** Runs of the echo graph over HTTP, against `graph.invoke` in a process that does nothing else. */
export const runsRow = runsRowOf('runs', 'SQLite', 1)
export const runsPostgresRow = runsRowOf('runs-postgres', 'PostgreSQL', 1)
export const runsFleetRow = runsRowOf('runs-fleet', 'PostgreSQL', 3)

/** Each client keeps to one of the servers, which share the database. */
function runsRowOf(name: string, database: 'SQLite' | 'PostgreSQL', count: number): Row {
  return {
    name,
    title: `runs/s of an echo graph through runs/wait, ${CLIENTS} clients, ${count} × ${database}`,
    unit: 'runs/s',
    pairs: 5,
    async open() {
      const data = await temporaryFolder()
      const postgres = database === 'PostgreSQL' ? await startPostgres() : undefined
      const env = postgres ? { RUNYARD_DATABASE_URL: postgres.url } : {}
      const args = ['serve', '--data-dir', data.path]
      const servers: Server[] = []
      while (servers.length < count) {
        servers.push(await startServer(args, { cwd: benchProject('echo'), env }))
      }
      const connections = Math.ceil(CLIENTS / count)
      const pools = servers.map(({ url }) => new Pool(url, { connections }))
      let turn = 0
      const run = () => waitForRun(pools[turn++ % count] as Pool)
      await rate(run, { clients: CLIENTS, ms: WARM_UP_MS })
      return {
        figure: () => rate(run, { clients: CLIENTS, ms: MS }),
        floors: {
          'graph.invoke, no checkpoints': () => inProcess('none'),
          'graph.invoke, MemorySaver': () => inProcess('memory'),
        },
        async close() {
          for (const pool of pools) await pool.destroy()
          for (const server of servers) await server.stop()
          await postgres?.stop()
          await data.remove()
        },
      }
    },
  }
}

async function waitForRun(pool: Pool): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await pool.request({ method: 'POST', path: '/runs/wait', headers, body })
  const values = (await response.body.json()) as { messages?: unknown[] }
  if (values.messages?.length !== 2) throw new Error(`It answered ${JSON.stringify(values)}.`)
}

async function inProcess(checkpoints: 'none' | 'memory'): Promise<number> {
  const script = join(import.meta.dirname, '../invoke.ts')
  const args = [script, checkpoints, String(CLIENTS), String(WARM_UP_MS), String(MS)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}
