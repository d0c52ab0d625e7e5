/** Reads of a thread with a long history, over HTTP. */
import { startPostgres } from '../postgres.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'

const SIZES = { unit: 'checkpoints', large: 1_000, small: 10, times: 50 }

type Database = 'SQLite' | 'PostgreSQL'

/** The state and the history of a thread, on each database. */
export const stateRows: Row[] = [
  stateRow('state', 'SQLite'),
  historyRow('history', 'SQLite'),
  stateRow('state-postgres', 'PostgreSQL'),
  historyRow('history-postgres', 'PostgreSQL'),
]

function stateRow(name: string, database: Database): Row {
  return sizedRow({
    ...SIZES,
    name,
    title: `the state of a thread, ${database}`,
    open: (size) => openThread(size, database, (thread) => get(`${thread}/state`)),
  })
}

function historyRow(name: string, database: Database): Row {
  return sizedRow({
    ...SIZES,
    name,
    title: `the last 10 states of a thread, ${database}`,
    open: (size) =>
      openThread(size, database, async (thread) => {
        const states = (await post(`${thread}/history`, { limit: 10 })) as unknown[]
        if (states.length !== 10) throw new Error(`It answered ${states.length} states.`)
      }),
  })
}

/** A thread with about that many checkpoints, made by one run. */
async function openThread(
  size: number,
  database: Database,
  read: (threadUrl: string) => Promise<unknown>,
): Promise<Sized> {
  const data = await temporaryFolder()
  const postgres = database === 'PostgreSQL' ? await startPostgres() : undefined
  const env = postgres ? { RUNYARD_DATABASE_URL: postgres.url } : {}
  const cwd = benchProject('echo')
  const server = await startServer(['serve', '--data-dir', data.path], { cwd, env })
  const { thread_id } = (await post(`${server.url}/threads`, {})) as { thread_id: string }
  const thread = `${server.url}/threads/${thread_id}`
  await post(`${thread}/runs/wait`, {
    assistant_id: 'count',
    input: { left: size },
    config: { recursion_limit: size + 10 },
  })
  return {
    work: () => read(thread),
    async close() {
      await server.stop()
      await postgres?.stop()
      await data.remove()
    },
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function get(url: string): Promise<unknown> {
  return answerOf(await fetch(url))
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  throw new Error(`${response.url} answered ${response.status}: ${text}`)
}
