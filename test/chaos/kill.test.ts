/**
 * `kill -9` at random moments: what the server has acknowledged is done all the same, once, in the
 * order in which it was acknowledged.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, temporaryFolder } from '../support/agent-server.ts'
import { collect } from '../support/collect.ts'
import { effort, SEED } from './effort.ts'
import { KillableServer } from './killable-server.ts'
import { type ObservedThread, Observer, type Promised } from './observer.ts'
import { Random } from './random.ts'

const KILLS = effort({ short: 3, whole: 60 })
const THREADS = 6
const LIMIT_MS = effort({ short: 60_000, whole: 600_000 })

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

    const { interrupted, exhausted, total } = await reviewAll(observer.threads)
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

/** Checks each thread; answers how many runs were interrupted, and how many of those for good. */
async function reviewAll(threads: ObservedThread[]) {
  const client = clientOf(await server.url())
  let interrupted = 0
  let exhausted = 0
  for (const { thread_id, promised } of threads) {
    const steps = await stepsOf(thread_id)
    for (const run of promised) {
      const review = await reviewRun(thread_id, run)
      if (review.attempts > 1) interrupted += 1
      if (review.status === 'error') exhausted += 1
      expectSteps(steps, run, review.status)
    }
    expectOrder(steps, promised)
  }
  const total = threads.flatMap((thread) => thread.promised).length
  return { interrupted, exhausted, total }

  async function stepsOf(thread_id: string): Promise<string[]> {
    const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
    return values.steps
  }

  /** The status is the one that was seen at first; the log has each event once. */
  async function reviewRun(thread_id: string, { run_id, ended }: Promised) {
    const { status } = await client.runs.get(thread_id, run_id)
    expect({ run_id, status }).toEqual({ run_id, status: ended })
    const log = await collect(
      client.runs.joinStream(thread_id, run_id, { lastEventId: '-1', streamMode: 'values' }),
    )
    expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => String(index)))
    const starts = log.filter(({ event }) => event === 'metadata')
    const last = starts.at(-1)?.data as { attempt: number } | undefined
    return { status, attempts: last?.attempt ?? 1 }
  }
}

/** All of a run that succeeded, the beginning of one that used up its attempts; nothing twice. */
function expectSteps(steps: string[], { label, count }: Promised, status: string): void {
  const own = steps.filter((step) => step.startsWith(`${label}:`))
  const wanted = Array.from({ length: count }, (_, index) => `${label}:${index + 1}`)
  if (status === 'success') expect(own).toEqual(wanted)
  else expect([status, own]).toEqual(['error', wanted.slice(0, own.length)])
}

/** The steps of a run are together, and the runs in the order in which they were acknowledged. */
function expectOrder(steps: string[], promised: Promised[]): void {
  const labels = steps.map((step) => step.replace(/:\d+$/, ''))
  const order = labels.filter((label, index) => label !== labels[index - 1])
  expect(order.length).toBe(new Set(order).size)
  const known = promised.map(({ label }) => label).filter((label) => order.includes(label))
  expect(order.filter((label) => known.includes(label))).toEqual(known)
}
