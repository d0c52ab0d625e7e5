/** The cost of a run around its graph. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'undici'
import type { BareGraph } from '../bare-graph.ts'
import { quantile, rate } from '../clock.ts'
import {
  AGENT,
  openPlace,
  PLACES,
  type Place,
  PYTHON,
  peerName,
  SQLITE,
  saverName,
} from '../place.ts'
import type { OpenRow, Row } from '../row.ts'
import { createAndJoin } from './join.ts'

const CLIENTS = 16
const LOAD = { clients: CLIENTS, ms: 2000 }
/** The official server executes ten runs at once, and polls for runs: many clients give it its best figure. */
const CROWD = 64

export const input = { messages: [{ role: 'user', content: 'Hello' }] }

/** Runs of the echo graph over HTTP, against `graph.invoke` in a process that does nothing else. */
export const runsRows: Row[] = PLACES.map((place) => ({
  name: `runs${place.suffix}`,
  title: `runs/s of an echo graph through runs/wait, ${CLIENTS} clients, ${place.title}`,
  unit: 'runs/s',
  pairs: 5,
  open: () => openRuns(place, LOAD),
}))

/** Runs on threads, and runs of agents, which call a model twice and two tools in between. */
export const pythonRunsRows: Row[] = [
  pythonRow('runs-threads', 'an echo graph, each on a thread of its own', PYTHON, true),
  pythonRow('runs', 'an agent', AGENT, false),
  pythonRow('runs-threads', 'an agent, each on a thread of its own', AGENT, true),
]

function pythonRow(name: string, of: string, place: Place, isOnThread: boolean): Row {
  return {
    name: `${name}${place.suffix}`,
    title: `runs/s of ${of}, through runs/wait, ${CLIENTS} clients, ${place.title}`,
    unit: 'runs/s',
    pairs: 3,
    open: () => openRuns(place, LOAD, isOnThread),
  }
}

export const crowdRow: Row = {
  name: 'runs-crowd',
  title: `runs/s of an echo graph through runs/wait, ${CROWD} clients, ${SQLITE.title}`,
  unit: 'runs/s',
  pairs: 3,
  open: () => openRuns(SQLITE, { ...LOAD, clients: CROWD }),
}

/** Against the official server, which polls for runs: the kind of request makes a difference. */
export const joinedRow: Row = {
  name: `runs-joined${PYTHON.suffix}`,
  title: `runs/s of an echo graph that are created and joined, ${CLIENTS} clients, ${PYTHON.title}`,
  unit: 'runs/s',
  pairs: 3,
  open: () => openAgainstPeer((next) => rate(() => createAndJoin(next), LOAD)),
}

export const waitRow: Row = {
  name: `wait${PYTHON.suffix}`,
  title: `p50 of runs/wait of an echo graph, ${CLIENTS} clients, ${PYTHON.title}`,
  unit: 'ms',
  pairs: 3,
  open: () => openAgainstPeer(waitTime),
}

async function openAgainstPeer(work: (next: () => Pool) => Promise<number>): Promise<OpenRow> {
  const open = await openPlace(PYTHON)
  const peer = (await open.startPeer?.()) as Pool
  const [figure, floor] = [() => work(open.next), () => work(() => peer)]
  for (const warmUp of [figure, floor]) await warmUp()
  return { figure, floors: { [peerName(PYTHON)]: floor }, close: open.close }
}

async function waitTime(next: () => Pool): Promise<number> {
  const times: number[] = []
  const timed = async () => {
    const from = performance.now()
    await waitForRun(next())
    times.push(performance.now() - from)
  }
  await rate(timed, LOAD)
  return quantile(times, 0.5)
}

async function openRuns(place: Place, load: typeof LOAD, isOnThread = false): Promise<OpenRow> {
  const open = await openPlace(place)
  const bare = await open.startBare()
  const peer = await open.startPeer?.()
  const runOn = place.graph === 'agent' ? waitForAgent : waitForRun
  const path = () => (isOnThread ? `/threads/${randomUUID()}/runs/wait` : '/runs/wait')
  const run = () => runOn(open.next(), {}, path())
  const floor = (graph: BareGraph) => () => graph.ask<number>({ what: 'rate', ...load })
  const floors = {
    'graph.invoke, no checkpoints': floor(bare),
    [`graph.invoke, ${saverName(place)}`]: floor(open.saver),
    ...(peer && { [peerName(place)]: () => rate(() => runOn(peer, {}, path()), load) }),
  }
  await rate(run, load)
  for (const warmUp of Object.values(floors)) await warmUp()
  return {
    figure: () => rate(run, load),
    floors,
    async close() {
      await bare.stop()
      await open.close()
    },
  }
}

/** `more`: headers that the server needs. `path`: of a thread's runs; the thread is made with the run. */
export function waitForRun(
  pool: Pool,
  more: Record<string, string> = {},
  path = '/runs/wait',
): Promise<void> {
  return wait(pool, { path, headers: more, assistant_id: 'echo', messages: 2 })
}

/** Five messages: the question, the tool calls, two tool results, the answer. */
function waitForAgent(pool: Pool, headers: Record<string, string>, path: string): Promise<void> {
  return wait(pool, { path, headers, assistant_id: 'agent', messages: 5 })
}

interface Waiting {
  path: string
  headers: Record<string, string>
  assistant_id: string
  /** How many messages the run ends with. */
  messages: number
}

async function wait(
  pool: Pool,
  { path, headers: more, assistant_id, messages }: Waiting,
): Promise<void> {
  const headers = { 'content-type': 'application/json', ...more }
  const isOnThread = path.startsWith('/threads/')
  const asked = { assistant_id, input, ...(isOnThread && { if_not_exists: 'create' }) }
  const body = JSON.stringify(asked)
  const response = await pool.request({ method: 'POST', path, headers, body })
  const values = (await response.body.json()) as { messages?: unknown[] }
  if (values.messages?.length !== messages) {
    throw new Error(`It answered ${JSON.stringify(values)}.`)
  }
}
