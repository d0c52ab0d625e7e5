/**
 * `kill -9` at random moments: what the server has acknowledged is done all the same, once, in the
 * order in which it was acknowledged.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, temporaryFolder } from '../support/agent-server.ts'
import { effort, SEED } from './effort.ts'
import { KillableServer } from './killable-server.ts'
import { Observer } from './observer.ts'
import { Random } from './random.ts'
import { reviewAll } from './review.ts'

const KILLS = effort({ short: 3, whole: 60 })
const THREADS = 6
const LIMIT_MS = effort({ short: 240_000, whole: 600_000 })

let dataDir: string
let server: KillableServer

beforeAll(async () => {
  dataDir = await temporaryFolder()
  server = new KillableServer(dataDir)
  await server.url()
})
afterAll(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

test(
  `runs survive ${KILLS} kills of their server (seed ${SEED})`,
  async () => {
    const random = new Random(SEED)
    const observer = new Observer(server, random)
    const observed = observer.observe(THREADS)
    await killUntil(observed, random)
    observer.stop()
    await observed

    const { interrupted, exhausted, total } = await reviewAll(
      clientOf(await server.url()),
      observer.threads,
    )
    // A run that was pending when its server died proves little.
    expect(interrupted, 'runs that were taken up again').toBeGreaterThanOrEqual(KILLS)
    expect(exhausted, `runs of ${total} that used up their attempts`).toBeLessThan(total / 10)
  },
  LIMIT_MS,
)

/** The moments are the point here: they fall anywhere in what the server does. */
async function killUntil(observed: Promise<void>, random: Random): Promise<void> {
  let isOver = false
  void observed
    .catch(() => {})
    .then(() => {
      isOver = true
    })
  for (let kill = 0; kill < KILLS && !isOver; kill += 1) {
    await wait(random.between(100, 900))
    await server.killAndRestart()
  }
}
