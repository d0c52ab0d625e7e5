/** A run that writes events, and the ways in which clients follow it. */
import { randomUUID } from 'node:crypto'
import { openEvents, openSocket, type Told } from './told.ts'

/** Opens the readers, starts the run, and waits until each reader has all events. */
export type Way = (url: string, load: Load) => Promise<Timing>

export interface Load {
  readers: number
  /** How many events the run writes. */
  events: number
}

export interface Timing {
  /** From before the first reader opens to its first event. */
  firstMs: number
  /** From the request for the run to the same event. */
  askedMs: number
  /** From the start of the run, with all readers open, until all have every event. */
  allMs: number
}

const tell = (count: number) => ({ assistant_id: 'tell', input: { count } })

/** One reader of `runs/stream`, whose first event is the start of the run. */
export const legacyRun: Way = (url, load) => legacy(url, load, 1)

/** The same; the event of the node counts as the first, as with the protocol. */
export const legacyCustom: Way = (url, load) => legacy(url, load, 2)

const legacy = (url: string, { events }: Load, first: number): Promise<Timing> =>
  timed({
    first,
    open: () => [],
    begin: () =>
      openEvents(`${url}/threads/${randomUUID()}/runs/stream`, {
        ...tell(events),
        if_not_exists: 'create',
        stream_mode: 'custom',
      }),
    events: events + 1,
  })

/** Readers of a thread's stream. */
export const legacyThread: Way = async (url, { readers, events }) => {
  const thread_id = randomUUID()
  await post(`${url}/threads`, { thread_id })
  return timed({
    open: () => several(readers, () => openEvents(`${url}/threads/${thread_id}/stream`)),
    begin: () =>
      post(`${url}/threads/${thread_id}/runs`, { ...tell(events), stream_mode: 'custom' }),
    events: events + 1,
  })
}

/** The channels that protocol readers subscribe to, and how many further events they get. */
interface Wish {
  channels: string[]
  more: number
}

const TOLD: Wish = { channels: ['custom'], more: 0 }
/** With the start of the run, which comes first, and its end. */
const LIFECYCLE: Wish = { channels: ['lifecycle', 'custom'], more: 2 }

/** Readers of the thread-centred protocol's server-sent events. */
export const protocol: Way = (url, load) => bySse(url, load, TOLD)
export const protocolLifecycle: Way = (url, load) => bySse(url, load, LIFECYCLE)

function bySse(url: string, { readers, events }: Load, { channels, more }: Wish): Promise<Timing> {
  const thread = `${url}/threads/${randomUUID()}`
  return timed({
    open: () => several(readers, () => openEvents(`${thread}/stream/events`, { channels })),
    begin: () => post(`${thread}/commands`, { id: 1, method: 'run.start', params: tell(events) }),
    events: events + more,
  })
}

/** One WebSocket of the thread-centred protocol. */
export const socket: Way = (url, load) => bySocket(url, load, TOLD)
export const socketLifecycle: Way = (url, load) => bySocket(url, load, LIFECYCLE)

function bySocket(url: string, { events }: Load, { channels, more }: Wish): Promise<Timing> {
  const address = `${url.replace('http', 'ws')}/threads/${randomUUID()}/stream/events`
  const subscribe = { id: 1, method: 'subscription.subscribe', params: { channels } }
  const start = { id: 2, method: 'run.start', params: tell(events) }
  // Both commands are answered.
  const answers = 2
  return timed({
    open: () => [],
    begin: () => openSocket(address, [subscribe, start]),
    first: answers + 1,
    events: answers + events + more,
  })
}

/** Readers of `sse-writer.ts`, which begins when the last one has connected. */
export const bareWriter: Way = (url, { readers, events }) => {
  const address = `${url}/?count=${events}&readers=${readers}`
  return timed({
    open: () => several(readers - 1, () => openEvents(address)),
    begin: () => openEvents(address),
    events,
  })
}

async function timed(way: {
  open: () => Promise<Told>[]
  /** Returns a reader if the request for the run is one. */
  begin: () => Promise<Told | undefined>
  /** The number of the event that counts as the first. Default 1. */
  first?: number
  events: number
}): Promise<Timing> {
  const opened = performance.now()
  const readers = await Promise.all(way.open())
  const began = performance.now()
  const begun = way.begin()
  const first = async () => {
    const reader = readers[0] ?? (await begun)
    await reader?.events(way.first ?? 1)
    return performance.now()
  }
  const [firstAt, beginner] = await Promise.all([first(), begun])
  if (beginner) readers.push(beginner)
  await Promise.all(readers.map((reader) => reader.events(way.events)))
  const allMs = performance.now() - began
  for (const reader of readers) reader.leave()
  return { firstMs: firstAt - opened, askedMs: firstAt - began, allMs }
}

function several(count: number, open: () => Promise<Told>): Promise<Told>[] {
  return Array.from({ length: count }, open)
}

async function post(url: string, body: object): Promise<undefined> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok || text.includes('"type":"error"')) {
    throw new Error(`${url} answered ${response.status}: ${text}`)
  }
}
