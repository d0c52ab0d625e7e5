/**
 * Three servers on one database, and everything that can happen to them: killed, paused for longer
 * than their leases, cut off from a PostgreSQL that is restarted under them. What was acknowledged is
 * done all the same, once, in order, and each stream has each event once.
 */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client as Postgres } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { quantile } from '../../bench/clock.ts'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { MAX_RUN_ATTEMPTS } from '../../src/core/agent/retry.ts'

import { openAgentStore } from '../../src/storage/agent/store.ts'
import type { Db } from '../../src/storage/db/db.ts'
import { openDb } from '../../src/storage/open-db.ts'
import { clientOf } from '../support/agent/agent-server.ts'
import { type Cluster, startCluster } from '../support/postgres/postgres-cluster.ts'
import { pause } from '../support/processes/pause.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { effort, SEED } from './effort.ts'
import { Fleet, type Pause } from './fleet.ts'
import { Observer } from './observer.ts'
import { Random } from './random.ts'
import { reviewAll } from './review.ts'

const KILLS = effort({ short: 4, whole: 500 })
/** After so many kills something else happens too. */
const KILLS_A_ROUND = effort({ short: 4, whole: 25 })
const SERVERS = 3
const THREADS = 6
const PAUSE_MS = 3_500
/** How often a server is paused, at most, until that has lost it a run. */
const PAUSES = 10
const LIMIT_MS = effort({ short: 600_000, whole: 3_600_000 })
/** Of the time from a kill until another server goes on with a run; asked of the whole test only. */
const RESUMED_MS = effort({ short: 60_000, whole: 2_000 })

interface Database {
  where: string
  /** What befalls this database alone, and how a process is paused on it. */
  disturb(): Promise<void>
  pause: Pause
  stop(): Promise<void>
}

let folder: string
let database: Database | undefined
let fleet: Fleet | undefined
beforeEach(() => {
  folder = temporaryFolder()
})
// Not in the test: one that takes too long is not waited for.
afterEach(async () => {
  await fleet?.stop()
  await database?.stop()
  fleet = database = undefined
})

async function sqlite(): Promise<Database> {
  const where = join(folder, 'agent.db')
  const nothing = async () => {}
  return { where, disturb: nothing, stop: nothing, pause: (send) => pause(send, where) }
}

async function postgres(): Promise<Database> {
  const place = join(folder, 'cluster')
  chmodSync(folder, 0o755)
  mkdirSync(place)
  const cluster = await startCluster(place, { owner: process.pid, isDurable: true })
  return {
    where: cluster.url,
    disturb: () => restartAndCut(cluster),
    pause: async (send) => send('SIGSTOP'),
    stop: () => cluster.stop('immediate'),
  }
}

async function restartAndCut(cluster: Cluster): Promise<void> {
  await cluster.stop('immediate')
  await cluster.start()
  await wait(500)
  const client = new Postgres({ connectionString: cluster.url })
  await client.connect()
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
  )
  await client.end()
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const)('on %s', (_name, open) => {
  test(
    `runs survive ${KILLS} kills among ${SERVERS} servers (seed ${SEED})`,
    async () => {
      const random = new Random(SEED)
      const killed: Cut[] = []
      database = await open()
      fleet = new Fleet(database.where, random)
      await fleet.start(SERVERS)
      const observer = new Observer(fleet, random)
      const observed = observer.observe(THREADS)
      const harmed = harm(fleet, database, random, killed)
      // The observer stops by itself only when it fails.
      await Promise.race([observed.then(() => harmed), harmed])
      observer.stop()
      await observed

      const { interrupted, exhausted, total } = await reviewAll(
        clientOf(await fleet.url()),
        observer.threads,
      )
      const waits = await resumeTimes(database.where, killed)
      console.log(`chaos: ${summary(total, interrupted, waits)}`)
      // A run that was pending when its server died proves little.
      expect(interrupted, 'runs that were taken up again').toBeGreaterThanOrEqual(KILLS / 2)
      expect(exhausted, `runs of ${total} that used up their attempts`).toBeLessThan(total / 10)
      expect(quantile(waits, 0.95)).toBeLessThan(RESUMED_MS)
    },
    LIMIT_MS,
  )
})

/** A run that executed on a server when that was killed or paused. */
interface Cut {
  run_id: string
  attempt: number
  /** ms since 1970 */
  at: number
}

const RUNNING_ON = `
SELECT run_id, attempt FROM runs
WHERE status = 'running' AND lease_server_id IN (SELECT server_id FROM servers WHERE pid = $1)`

async function look(db: Db, pid: number): Promise<Cut[]> {
  const running = await db.all<Omit<Cut, 'at'>>(RUNNING_ON, [pid])
  const at = Date.now()
  return running.map((run) => ({ ...run, at }))
}

/**
 * The moments are the point here: they fall anywhere in what the servers do. Tells `killed` of what
 * executed on those that were killed.
 */
async function harm(
  fleet: Fleet,
  database: Database,
  random: Random,
  killed: Cut[],
): Promise<void> {
  const db = await openDb(database.where, 'runyard_agent')
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await wait(random.between(100, 900))
    await fleet.kill(async (pid) => void killed.push(...(await look(db, pid))))
    if (kill % KILLS_A_ROUND > 0) continue
    await pauseUntilLost(fleet, database, db)
    await database.disturb()
  }
  await db.close()
}

/**
 * A pause without a lost run proves nothing. On PostgreSQL one may keep all its runs: its open
 * transactions have locked some for as long as it lasts, what it had sent before has ended the others.
 */
async function pauseUntilLost(fleet: Fleet, database: Database, db: Db): Promise<void> {
  for (let pause = 1; pause <= PAUSES; pause += 1) {
    let had: Cut[] = []
    let isLost = false
    await fleet.pause(
      database.pause,
      async (pid) => {
        had = await look(db, pid)
        // Another attempt is to come.
        return had.some(({ attempt }) => attempt < MAX_RUN_ATTEMPTS)
      },
      async () => {
        await wait(PAUSE_MS)
        isLost = await hasLost(db, had)
      },
    )
    if (isLost) return
  }
  throw new Error(`${PAUSES} pauses of ${PAUSE_MS} ms have lost no server a run.`)
}

/** Whether one of the runs has another attempt by now. */
async function hasLost(db: Db, cuts: Cut[]): Promise<boolean> {
  const rows = await Promise.all(
    cuts.map(({ run_id, attempt }) =>
      db.get('SELECT 1 FROM runs WHERE run_id = $1 AND attempt > $2', [run_id, attempt]),
    ),
  )
  return rows.some(Boolean)
}

/** How long afterwards another attempt of each run began, in ms; of those that had not just ended. */
async function resumeTimes(where: string, cuts: Cut[]): Promise<number[]> {
  const store = await openAgentStore(where)
  const times = await Promise.all(cuts.map((cut) => resumeTime(store, cut)))
  await store.close()
  return times.flat()
}

async function resumeTime({ events }: AgentStore, cut: Cut): Promise<number[]> {
  const log = await events.read(cut.run_id, -1, 1_000)
  const begins = log.filter(({ event }) => event === 'metadata')
  const next = begins.find(({ data }) => JSON.parse(data).attempt === cut.attempt + 1)
  return next ? [next.created_at - cut.at] : []
}

function summary(total: number, interrupted: number, waits: number[]): string {
  const [median, p95] = [quantile(waits, 0.5), quantile(waits, 0.95)]
  return `${total} runs, ${interrupted} taken up again, after ${median} ms (p95 ${p95} ms)`
}
