/** A run that tells events, and the ways in which clients follow it. */
import { randomUUID } from 'node:crypto'
import { openEvents, openSocket, type Told } from './told.ts'

/** Opens the readers, has so many events told, and waits until each reader has them. */
export type Way = (url: string, load: Load) => Promise<Timing>

export interface Load {
  readers: number
  /** How many events are told. */
  events: number
}

export interface Timing {
  /** From before the first reader is opened until it has its first event. */
  firstMs: number
  /** From the request for the run until then. */
  askedMs: number
  /** From the begin of the run, all readers being there, until all have all. */
  allMs: number
}

const tell = (count: number) => ({ assistant_id: 'tell', input: { count } })

/** One reader of `runs/stream`, whose first event is that of the run's begin. */
export const legacyRun: Way = (url, load) => legacy(url, load, 1)

/** The same; what counts as the first event comes out of the node, as with the protocol. */
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

/** What readers of the protocol ask for, and how many events of a run it has beside those that are told. */
interface Wish {
  channels: string[]
  more: number
}

const TOLD: Wish = { channels: ['custom'], more: 0 }
/** With the run's begin, which comes first, and its end. */
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

/** Readers of `sse-writer.ts`, which begins when the last one has come. */
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
  /** Answers a reader where it is one that begins. */
  begin: () => Promise<Told | undefined>
  /** The number of the event that counts as the first. 1. */
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
