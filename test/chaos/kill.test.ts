/**
 * `kill -9` at random moments: what the server has acknowledged is done all the same, once, in the
 * order in which it was acknowledged. With graphs in Python the server is killed, or the process that its graphs run
 * in, or both.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientOf } from '../support/agent/agent-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { effort, SEED } from './effort.ts'
import { KillableServer } from './killable-server.ts'
import { JAVASCRIPT, PYTHON, type Victim } from './languages.ts'
import { Observer } from './observer.ts'
import { Random } from './random.ts'
import { reviewAll } from './review.ts'

const THREADS = 6

const SETTINGS = [
  {
    ...JAVASCRIPT,
    kills: effort({ short: 3, whole: 60 }),
    limitMs: effort({ short: 600_000, whole: 600_000 }),
  },
  {
    ...PYTHON,
    kills: effort({ short: 12, whole: 500 }),
    limitMs: effort({ short: 600_000, whole: 3_600_000 }),
  },
]

describe.each(SETTINGS)('graphs in $language', (setting) => {
  const { kills, limitMs, missing } = setting
  let dataDir: string
  let server: KillableServer | undefined

  beforeEach(() => {
    dataDir = temporaryFolder()
  })
  // Not in the test: one that takes too long is not waited for.
  afterEach(async () => {
    await server?.kill()
  })

  test.skipIf(missing)(
    `survive ${kills} kills (${missing ?? `seed ${SEED}`})`,
    async () => {
      const random = new Random(SEED)
      server = new KillableServer(dataDir, await setting.project('echo'))
      await server.url()
      const observer = new Observer(server, random)
      const observed = observer.observe(THREADS)
      const killed = await killUntil({ observer, observed }, server, random, setting)
      observer.stop()
      await observed

      const { interrupted, exhausted, total } = await reviewAll(
        clientOf(await server.url()),
        observer.threads,
      )
      console.log(
        `chaos: ${JSON.stringify(killed)} killed, ${total} runs, ${interrupted} taken up again`,
      )
      // A run that was pending when its server died proves little.
      expect(interrupted, 'runs that were taken up again').toBeGreaterThanOrEqual(kills)
      expect(exhausted, `runs of ${total} that used up their attempts`).toBeLessThan(total / 10)
    },
    limitMs,
  )
})

/** The moments are the point here: they fall anywhere in what the server does. Answers who was killed how often. */
async function killUntil(
  { observer, observed }: { observer: Observer; observed: Promise<void> },
  server: KillableServer,
  random: Random,
  { kills, victims }: (typeof SETTINGS)[number],
): Promise<Record<Victim, number>> {
  const killed = { server: 0, host: 0, both: 0 }
  let isOver = false
  void observed
    .catch(() => {})
    .then(() => {
      isOver = true
    })
  for (let kill = 0; kill < kills && !isOver; kill += 1) {
    // On a slow machine the kills would else all fall on the same runs, which have but so many attempts.
    const before = observer.ended
    while (kill % 2 === 0 && observer.ended === before && !isOver) await wait(20)
    await wait(random.between(100, 900))
    const victim = victims[kill % victims.length] ?? 'server'
    await server.killAndRestart(victim)
    killed[victim] += 1
  }
  return killed
}
