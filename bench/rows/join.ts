/** How long a single client waits for a run of the echo graph: for its end, and for its first values. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'undici'
import { quantile, repeated } from '../clock.ts'
import { type OpenPlace, openPlace, PLACES, type Place, peerName, saverName } from '../place.ts'
import type { Measured, OpenRow, Row } from '../row.ts'

const TIMES = 200
const WARM_UP_TIMES = 200
/** The official server takes a second for each. */
const PEER_TIMES = 10

const body = JSON.stringify({
  assistant_id: 'echo',
  input: { messages: [{ role: 'user', content: 'Hello' }] },
  if_not_exists: 'create',
  stream_mode: 'values',
})

/** The run is created on one server and joined on the next. */
export const joinRows: Row[] = PLACES.map((place) => ({
  name: `join${place.suffix}`,
  title: `from creating a run to the answer of join, ${place.title}`,
  unit: 'ms',
  pairs: 3,
  open: () =>
    openTimes(place, {
      ours: createAndJoin,
      bare: 'invoke',
      tell: (times) => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) }),
    }),
}))

/** The run is created on one server and streamed from the next. */
export const firstValuesRows: Row[] = PLACES.map((place) => ({
  name: `first-values${place.suffix}`,
  title: `median from creating a run to the first values of its stream, ${place.title}`,
  unit: 'ms',
  pairs: 3,
  open: () =>
    openTimes(place, {
      ours: createAndStream,
      bare: 'first chunk',
      tell: (times) => quantile(times, 0.5),
    }),
}))

interface Times {
  /** Milliseconds of one run. */
  ours(next: () => Pool): Promise<number>
  bare: 'invoke' | 'first chunk'
  tell(times: number[]): Measured
}

async function openTimes(place: Place, { ours, bare, tell }: Times): Promise<OpenRow> {
  const { next, saver, startPeer, close } = await openPlace(place)
  const peer = await startPeer?.()
  const figure = (times: number) => repeated(() => ours(next), times)
  const floor = (times: number) => saver.ask<number[]>({ what: bare, times })
  const ofPeer = (pool: Pool, times: number) => repeated(() => ours(() => pool), times)
  for (const warmUp of [figure, floor]) await warmUp(WARM_UP_TIMES)
  if (peer) await ofPeer(peer, PEER_TIMES)
  const name = bare === 'invoke' ? 'graph.invoke' : 'graph.stream'
  return {
    figure: async () => tell(await figure(TIMES)),
    floors: {
      [`${name}, ${saverName(place)}`]: async () => tell(await floor(TIMES)),
      ...(peer && { [peerName(place)]: async () => tell(await ofPeer(peer, PEER_TIMES)) }),
    },
    close,
  }
}

/** Returns the time in ms. */
export async function createAndJoin(next: OpenPlace['next']): Promise<number> {
  const from = performance.now()
  const response = await next().request({ method: 'GET', path: `${await create(next())}/join` })
  const values = (await response.body.json()) as { messages?: unknown[] }
  if (values.messages?.length !== 2) throw new Error(`It answered ${JSON.stringify(values)}.`)
  return performance.now() - from
}

/** Reads the run to its end, so that the next one is alone. */
async function createAndStream(next: OpenPlace['next']): Promise<number> {
  const from = performance.now()
  const response = await next().request({ method: 'GET', path: `${await create(next())}/stream` })
  let first: number | undefined
  let text = ''
  for await (const chunk of response.body) {
    text += chunk
    if (/^event: values\r?$/m.test(text)) first ??= performance.now() - from
  }
  if (first === undefined) throw new Error(`Its stream was ${text}.`)
  return first
}

/** Returns the path of the run. */
async function create(server: Pool): Promise<string> {
  const path = `/threads/${randomUUID()}/runs`
  const headers = { 'content-type': 'application/json' }
  const response = await server.request({ method: 'POST', path, headers, body })
  const run = (await response.body.json()) as { run_id?: string }
  if (!run.run_id) throw new Error(`It answered ${JSON.stringify(run)}.`)
  return `${path}/${run.run_id}`
}
