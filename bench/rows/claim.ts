/** Claims of a run from a long queue, at the store: a server does this for each run. */
import { join } from 'node:path'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import { fill, fillPendingRuns } from '../filled.ts'
import { startPostgres } from '../postgres.ts'
import type { Row } from '../row.ts'
import { temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'

type Database = 'SQLite' | 'PostgreSQL'

/** How many runs a server claims at once. */
const AT_ONCE = 4
/** The few threads that share the runs: each has as many runs as may wait by default. */
const FEW = 100

export const claimRows: Row[] = [
  claimRow('claim', 'SQLite'),
  claimRow('claim-postgres', 'PostgreSQL'),
]

function claimRow(name: string, database: Database): Row {
  return sizedRow({
    name,
    title: `claiming up to ${AT_ONCE} runs and handing them back, ${database}`,
    unit: 'pending runs',
    large: 100_000,
    small: 10,
    times: 100,
    open: (size) => openLines(size, database),
  })
}

/** On many threads, on few, and on few of which all but one are busy. */
async function openLines(size: number, database: Database): Promise<Sized> {
  const few = Math.min(size, FEW)
  const lines = {
    'many threads': await openLine({ runs: size, threads: size, isBusy: false }, database),
    'few threads': await openLine({ runs: size, threads: few, isBusy: false }, database),
    'few threads, one idle': await openLine({ runs: size, threads: few, isBusy: true }, database),
  }
  const works = Object.entries(lines).map(([name, { work }]) => [name, work])
  return {
    work: Object.fromEntries(works),
    async close() {
      for (const line of Object.values(lines)) await line.close()
    },
  }
}

/** `isBusy`: all threads but one have a claimed run. */
interface Line {
  runs: number
  threads: number
  isBusy: boolean
}

async function openLine({ runs, threads, isBusy }: Line, database: Database) {
  const data = await temporaryFolder()
  const postgres = database === 'PostgreSQL' ? await startPostgres() : undefined
  const place = postgres?.url ?? join(data.path, 'agent.db')
  await fill(place, (db) => fillPendingRuns(db, { runs, threads }))
  const store = await openAgentStore(place)
  const wanted = isBusy ? 1 : Math.min(AT_ONCE, threads)
  for (let left = isBusy ? threads - 1 : 0; left > 0; ) {
    left -= (await claim(store, Math.min(left, AT_ONCE))).length
  }
  return {
    async work() {
      const claimed = await claim(store, AT_ONCE)
      if (claimed.length !== wanted) throw new Error(`It claimed ${claimed.length} runs.`)
      for (const { lease } of claimed) await store.runs.giveBack(lease)
    },
    async close() {
      await store.close()
      await postgres?.stop()
      await data.remove()
    },
  }
}

function claim(store: AgentStore, count: number) {
  const now = Date.now()
  const lease_expires_at = now + 3_600_000
  return store.runs.claim({ server_id: 'bench', now, lease_expires_at, only: 'others' }, count)
}
