/** Nobody who asks a deployment notices that it is rolled out, rolled back, broken or woken. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { effort } from './effort.ts'
import { Prober } from './prober.ts'
import { RolledOut } from './rollouts.ts'

const PER_SECOND = effort({ short: 15, whole: 50 })
const ROLLOUTS = effort({ short: 2, whole: 10 })
const ROLLBACKS = effort({ short: 1, whole: 2 })
/** Between two changes. */
const REQUESTS = effort({ short: 20, whole: 600 })
const LEAST = effort({ short: 100, whole: 10_000 })
const LIMIT_MS = effort({ short: 300_000, whole: 900_000 })

let runyard: TestRunyard
const deployment = new RolledOut('probed')

beforeAll(async () => {
  runyard = await startRunyard({ env: { RUNYARD_IDLE_SECS: '3', RUNYARD_DRAIN_SECS: '1' } })
  expect(await deployment.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
}, LIMIT_MS)
afterAll(async () => {
  await runyard.stop()
  deployment.remove()
})

test(
  `${ROLLOUTS} rollouts, ${ROLLBACKS} rollbacks and two broken revisions fail no request`,
  async () => {
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.adminKey, PER_SECOND)
    await prober.start()
    for (let i = 0; i < ROLLOUTS; i += 1) {
      expect(await deployment.rollOut(runyard)).toMatchObject({ status: 'DEPLOYED' })
      await prober.untilMore(REQUESTS)
    }
    expect((await deployment.rollOut(runyard, 'unbuildable')).status).toBe('BUILD_FAILED')
    for (let i = 0; i < ROLLBACKS; i += 1) {
      expect(await deployment.rollBack(runyard)).toMatchObject({ status: 'DEPLOYED' })
      await prober.untilMore(REQUESTS)
    }
    expect((await deployment.rollOut(runyard, 'dead')).status).toMatch(/_FAILED$/)
    await prober.untilMore(Math.max(REQUESTS, LEAST - prober.total))
    await prober.stop()

    expect(prober.failures).toEqual([])
    // Streams of runs that were handed on go on, and none is cut.
    expect(prober.counts.handedOn).toBeGreaterThan(0)
    expect(prober.counts.resumed).toBe(0)
    expect(prober.revisions.size).toBe(1 + ROLLOUTS + ROLLBACKS)
    expect(prober.total).toBeGreaterThanOrEqual(LEAST)
    console.log(`prober: ${prober.total} requests, ${JSON.stringify(prober.counts)}, success 1.0`)
  },
  LIMIT_MS,
)

test(
  'a request to a deployment that sleeps wakes it and is answered',
  async () => {
    await deployment.untilAsleep(runyard)
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.adminKey, PER_SECOND)
    const since = performance.now()
    await prober.start()
    console.log(`woken and answered in ${Math.round(performance.now() - since)} ms, 8 requests`)
    await prober.untilMore(REQUESTS)
    await prober.stop()
    expect(prober.failures).toEqual([])
  },
  LIMIT_MS,
)
