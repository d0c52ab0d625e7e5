/** What a run costs around its graph. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { rate } from '../clock.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'

const CLIENTS = 16
const MS = 4000
const WARM_UP_MS = 2000

const body = JSON.stringify({
  assistant_id: 'echo',
  input: { messages: [{ role: 'user', content: 'Hello' }] },
})

/** Runs of the echo graph over HTTP, against `graph.invoke` in a process that does nothing else. */
export const runsRow: Row = {
  name: 'runs',
  title: `runs/s of an echo graph through runs/wait, ${CLIENTS} clients`,
  unit: 'runs/s',
  pairs: 5,
  async open() {
    const data = await temporaryFolder()
    const cwd = benchProject('echo')
    const server = await startServer(['serve', '--data-dir', data.path], { cwd })
    const pool = new Pool(server.url, { connections: CLIENTS })
    const run = () => waitForRun(pool)
    await rate(run, { clients: CLIENTS, ms: WARM_UP_MS })
    return {
      figure: () => rate(run, { clients: CLIENTS, ms: MS }),
      floors: {
        'graph.invoke, no checkpoints': () => inProcess('none'),
        'graph.invoke, MemorySaver': () => inProcess('memory'),
      },
      async close() {
        await pool.destroy()
        await server.stop()
        await data.remove()
      },
    }
  },
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
