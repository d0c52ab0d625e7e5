/**
 * Kills a server while its graph emits events as fast as it can, and expects each event once and in order, of those that
 * clients saw before and of those that came after.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  endOfRun,
  readUntil,
  send,
  subscribe,
  type WireEvent,
} from '../support/agent/protocol-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { effort, SEED } from './effort.ts'
import { KillableServer } from './killable-server.ts'
import { JAVASCRIPT } from './languages.ts'
import { Random } from './random.ts'

const random = new Random(SEED)
const COUNT = 60_000
const ROUNDS = effort({ short: 2, whole: 30 })
const LIMIT_MS = 120_000
const channels = ['custom', 'lifecycle']

const dataDir = temporaryFolder()
let server: KillableServer

beforeAll(async () => {
  server = new KillableServer(dataDir, await JAVASCRIPT.project('flood'))
  await server.url()
}, LIMIT_MS)
afterAll(async () => {
  await server.kill()
})

it(
  `an event that was shown is there after a kill, and none is lost or twice (seed ${SEED})`,
  async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const thread_id = randomUUID()
      await begin(thread_id)
      const killAt = random.between(25_000, COUNT - 5_000)
      const before = await read(thread_id, 0, (_, count) => count === killAt)
      await server.killAndRestart()
      const after = await read(thread_id, before.at(-1)?.seq ?? 0, endOfRun(1))
      const events = [...before, ...after]
      expect(events.map(({ seq }) => seq)).toEqual(uniqueAndSorted(events))
      const told = events.filter(({ method }) => method === 'custom')
      const numbers = told.map(({ params }) => params.data.payload)
      expect(numbers).toEqual(Array.from({ length: COUNT }, (_, i) => i + 1))
      const again = await read(thread_id, 0, endOfRun(1))
      expect(again).toEqual(events)
    }
  },
  LIMIT_MS * effort({ short: 1, whole: 10 }),
)

async function begin(thread_id: string): Promise<void> {
  const params = { assistant_id: 'flood', input: { count: COUNT } }
  await send(await server.url(), thread_id, 'run.start', params)
}

async function read(
  thread_id: string,
  since: number,
  isLast: (event: WireEvent, count: number) => boolean,
): Promise<WireEvent[]> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const stream = await subscribe(await server.url(), thread_id, { channels, since }, signal)
  let count = 0
  return readUntil(stream, (event) => {
    count += 1
    return isLast(event, count)
  })
}

function uniqueAndSorted(events: readonly WireEvent[]): number[] {
  return [...new Set(events.map(({ seq }) => seq))].toSorted((a, b) => a - b)
}
