/** The cost of a stream around its events. */
import { randomUUID } from 'node:crypto'
import { cpuUs } from '../cpu.ts'
import type { Row } from '../row.ts'
import { median } from '../row.ts'
import { benchProject, startServer, startWriter, temporaryFolder } from '../server.ts'
import {
  bareWriter,
  type Load,
  legacyCustom,
  legacyRun,
  legacyThread,
  protocol,
  protocolLifecycle,
  socket,
  socketLifecycle,
  type Timing,
  type Way,
} from '../telling.ts'

/** A run's events are also written to the log; the bare writer has none. */
const ONE: Load = { readers: 1, events: 5_000 }
const MANY: Load = { readers: 500, events: 200 }
const FIRST: Load = { readers: 1, events: 1 }
const FIRST_TIMES = 25
/** Node compiles the code of server and writer during some 200,000 events: both get as many before a measurement. */
const WARM_UPS = 40
/** One takes 40 ms, so that any other load on the machine shows. */
const PAIRS = 9

const perSecond = (load: Load) => ({
  unit: 'events/s' as const,
  measure: async (way: Way, { url }: Told) =>
    (load.readers * load.events * 1_000) / (await way(url, load)).allMs,
})

/** More reliable than the rate when other programs use the machine. */
const cpuOf = (load: Load) => ({
  unit: 'µs' as const,
  async measure(way: Way, { url, pid }: Told): Promise<number> {
    const before = cpuUs(pid)
    await way(url, load)
    return (cpuUs(pid) - before) / (load.readers * load.events)
  },
})

const untilFirst = (from: 'firstMs' | 'askedMs') => ({
  unit: 'ms' as const,
  async measure(way: Way, { url }: Told): Promise<number> {
    const taken: Timing[] = []
    while (taken.length < FIRST_TIMES) taken.push(await way(url, FIRST))
    return median(taken.map((timing) => timing[from]))
  },
})

const one = 'events/s of a run through one connection'
const many = `events/s of a run through ${MANY.readers} connections together`
const cpu = 'processor time of the server for an event, one connection'
const ofNode = 'until the first event of a run’s node, from the first request'
const first = 'until a run’s first event, that of its begin, from the first request'
const asked = 'until a run’s first event, from the request for the run'

export const streamRows: Row[] = [
  streamRow('stream', `${one}, runs/stream`, legacyRun, perSecond(ONE)),
  streamRow('stream-protocol', `${one}, the protocol`, protocol, perSecond(ONE)),
  streamRow('stream-socket', `${one}, a WebSocket`, socket, perSecond(ONE)),
  streamRow('stream-many', `${many}, a thread’s stream`, legacyThread, perSecond(MANY)),
  streamRow('stream-protocol-many', `${many}, the protocol`, protocol, perSecond(MANY)),
  streamRow('stream-cpu', `${cpu}, runs/stream`, legacyRun, cpuOf(ONE)),
  streamRow('stream-protocol-cpu', `${cpu}, the protocol`, protocol, cpuOf(ONE)),
  streamRow('stream-socket-cpu', `${cpu}, a WebSocket`, socket, cpuOf(ONE)),
  streamRow('first', `${first}, runs/stream`, legacyRun, untilFirst('firstMs')),
  streamRow('first-protocol', `${first}, the protocol`, protocolLifecycle, untilFirst('firstMs')),
  streamRow('first-asked', `${asked}, the protocol`, protocolLifecycle, untilFirst('askedMs')),
  streamRow('first-socket', `${first}, a WebSocket`, socketLifecycle, untilFirst('firstMs')),
  streamRow('first-custom', `${ofNode}, runs/stream`, legacyCustom, untilFirst('firstMs')),
  streamRow('first-custom-protocol', `${ofNode}, the protocol`, protocol, untilFirst('firstMs')),
  streamRow('first-custom-socket', `${ofNode}, a WebSocket`, socket, untilFirst('firstMs')),
]

/** The process that writes the events. */
interface Told {
  url: string
  pid: number
}

interface Measure {
  unit: Row['unit']
  measure: (way: Way, told: Told) => Promise<number>
}

/** Against a process that only writes the same number of equal events. */
function streamRow(name: string, title: string, way: Way, { unit, measure }: Measure): Row {
  return {
    name,
    title,
    unit,
    pairs: PAIRS,
    async open() {
      const data = await temporaryFolder()
      const cwd = benchProject('tell')
      const server = await startServer(['serve', '--data-dir', data.path], { cwd })
      const writer = await startWriter(await sample(server.url))
      for (let i = 0; i < WARM_UPS; i += 1) {
        await way(server.url, ONE)
        await bareWriter(writer.url, ONE)
      }
      return {
        figure: () => measure(way, server),
        floors: { 'a bare node:http writer': () => measure(bareWriter, writer) },
        async close() {
          await writer.stop()
          await server.stop()
          await data.remove()
        },
      }
    },
  }
}

/** One of the graph's events as sent on the wire. */
async function sample(url: string): Promise<string> {
  const thread = `${url}/threads/${randomUUID()}`
  const response = await fetch(`${thread}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'tell',
      input: { count: 1 },
      if_not_exists: 'create',
      stream_mode: 'custom',
    }),
  })
  const frame = /event: custom\n.*\n.*\n\n/.exec(await response.text())?.[0]
  if (frame) return frame
  throw new Error('There was no custom event.')
}
