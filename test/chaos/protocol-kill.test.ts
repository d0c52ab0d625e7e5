/**
 * Kills the server, again and again, while clients of the thread-centred protocol follow a run, and
 * expects of all that they were shown that it is what an undisturbed run shows.
 */
import { randomUUID } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { Client as Client112 } from 'sdk-1-12'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  EVERYTHING,
  endOfRun,
  readUntil,
  send,
  subscribe,
  type WireEvent,
} from '../support/agent/protocol-client.ts'
import { normalized } from '../support/agent/transcript.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { effort, SEED } from './effort.ts'
import { KillableServer } from './killable-server.ts'
import { JAVASCRIPT, PYTHON } from './languages.ts'
import { Random } from './random.ts'

const random = new Random(SEED)
const input = { messages: [], answers: 2, words: 6, ms: 5 }
const START = { assistant_id: 'talk', input }
const LIMIT_MS = 120_000

const LANGUAGES = [JAVASCRIPT, PYTHON].map((one) => ({
  ...one,
  note: one.missing ?? `seed ${SEED}`,
}))

describe.each(LANGUAGES)(
  'a server of graphs in $language that is killed while it streams, $note',
  (setting) => {
    const { project, victims, missing } = setting
    const dataDir = temporaryFolder()
    let server: KillableServer
    let undisturbed: string[]

    beforeAll(async () => {
      if (missing) return
      server = new KillableServer(dataDir, await project('protocol'))
      const thread_id = randomUUID()
      const url = await server.url()
      await send(url, thread_id, 'run.start', START)
      undisturbed = told(await readUntil(await subscribe(url, thread_id), endOfRun(1)))
    }, LIMIT_MS)
    afterAll(async () => {
      if (missing) return
      await server.kill()
    })

    const tried = it.skipIf(missing)
    const anyVictim = () => victims[random.between(0, victims.length - 1)]

    tried(
      'shows what an undisturbed one shows, whenever it dies and whoever reconnects from where',
      async () => {
        for (let round = effort({ short: 1, whole: 40 }); round > 0; round -= 1) {
          const thread_id = randomUUID()
          await send(await server.url(), thread_id, 'run.start', START)
          const events: WireEvent[] = []
          for (let kills = random.between(1, 2); kills > 0; kills -= 1) {
            await follow(
              thread_id,
              events,
              random.between(1, undisturbed.length - 1 - events.length),
            )
            await server.killAndRestart(anyVictim())
          }
          await follow(thread_id, events, Number.POSITIVE_INFINITY)
          expect(told(events)).toEqual(undisturbed)
          const after = await readUntil(await subscribe(await server.url(), thread_id), endOfRun(1))
          expect(after).toEqual(events)
        }
      },
      LIMIT_MS * effort({ short: 1, whole: 20 }),
    )

    tried.each([
      ['1.12.4', Client112 as unknown as typeof Client],
      ['1.15.0', Client],
    ])(
      'is reconnected to by SDK %s, whose events are the same',
      async (_version, Sdk) => {
        const client = new Sdk({ apiUrl: await server.url(), apiKey: null })
        const thread = client.threads.stream(randomUUID(), { assistantId: 'talk' })
        const events: WireEvent[] = []
        const killAt = random.between(5, undisturbed.length - 5)
        const following = thread.subscribe({ channels: EVERYTHING as never[] })
        await thread.run.start({ input })
        let restarted: Promise<void> | undefined
        for await (const event of (await following) as AsyncIterable<WireEvent>) {
          events.push(event)
          if (events.length === killAt) restarted = server.killAndRestart(anyVictim())
        }
        await restarted
        await thread.close()
        expect(told(events)).toEqual(undisturbed)
      },
      LIMIT_MS,
    )

    /** Reads on until this many more events came, or the end, which must be in good time. */
    async function follow(thread_id: string, events: WireEvent[], more: number): Promise<void> {
      // After the end nothing comes.
      if (events.length === undisturbed.length) return
      const since = events.at(-1)?.seq ?? 0
      const signal = AbortSignal.timeout(LIMIT_MS)
      const stream = await subscribe(await server.url(), thread_id, { since }, signal)
      const upTo = events.length + Math.max(more, 1)
      const isEnd = endOfRun(1)
      await readUntil(stream, (event) => {
        events.push(event)
        return isEnd(event) || events.length === upTo
      })
    }
  },
)

/** What the events say, without their moments, and with the ids numbered as they come up. */
function told(events: Pick<WireEvent, 'seq' | 'method' | 'params'>[]): string[] {
  const lines = events.map(({ seq, method, params: { timestamp, ...params } }) =>
    JSON.stringify([seq, method, params]),
  )
  return normalized(lines.join('\n')).split('\n')
}
