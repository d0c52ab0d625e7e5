/**
 * A response about a run, as far as the client has it: which bytes the client gets, and which request continues the
 * response when its agent server is lost. It passes no bytes and sends no request itself.
 */
import { ON_LEAVE_HEADER } from '../core/deployment/internal-requests.ts'
import { valuesOf } from './headers.ts'

/** The request that continues a response: a GET without a body. */
export interface NextRequest {
  /** Path and query for the agent server. */
  path: string
  /** Absent: as the client sent it. */
  lastEventId?: string | undefined
}

/** A response before its body. Headers as received. */
export interface Head {
  status: number
  headers: string[]
}

/** The `location` of a continuation. */
const LOCATION = /^\/threads\/[\w-]+(\/runs\/[\w-]+\/(join|stream))$/
/** The end of the paths that create a run and return its result or its events. */
const CREATION = /(?:\/threads\/[^/]+)?\/runs\/(?:wait|stream)$/
const CONTENT_TYPES = { join: 'application/json', stream: 'text/event-stream' }

/** A longer event is passed on before its end, so the response cannot continue if it breaks off there. */
const MOST_HELD_BYTES = 1024 * 1024
/** The line of an event's id and the blank line after it are shorter. */
const ID_BYTES = 64
const NOTHING = Buffer.alloc(0)
const COLON = 0x3a
const VALUE = /[^ \n\r\t]/

/** The response to this request. `undefined`: it is about no run, or has a length, so nothing can continue it. */
export function runAnswer(
  asked: { method: string | undefined; path: string },
  head: Head,
): RunAnswer | undefined {
  const location = locationOf(head)
  if (location === undefined) return undefined
  const isCancelledOnLeave = valuesOf(ON_LEAVE_HEADER, head.headers)[0] === 'cancel'
  const path = pathOfNext(asked, { location, isCancelledOnLeave })
  if (path === undefined) return undefined
  const about = { location, path, isCancelledOnLeave }
  if (location.endsWith('/join')) return new RunResult(about)
  return new RunEvents(about, asked.method === 'POST' ? '-1' : undefined)
}

export type RunAnswer = RunEvents | RunResult

interface About {
  /** The `location` of its continuation. */
  location: string
  /** The path of the request that continues it. */
  path: string
  /** Whether the run is cancelled when the agent server sees the connection end. */
  isCancelledOnLeave: boolean
}

/** Whether the body after this head continues the response. */
export function isContinuation(answer: RunAnswer, head: Head): boolean {
  return locationOf(head) === answer.about.location
}

/** The `location` of a response whose body another one can continue. */
function locationOf({ status, headers }: Head): string | undefined {
  const one = (name: string) => valuesOf(name, headers)[0]
  const location = one('location') ?? ''
  const kind = LOCATION.exec(location)?.[2] as keyof typeof CONTENT_TYPES | undefined
  if (status !== 200 || !kind || one('content-length') || one('content-encoding')) return undefined
  return one('content-type')?.startsWith(CONTENT_TYPES[kind]) ? location : undefined
}

/**
 * A read is repeated unchanged; after a creation the run is read, below the same `mount_prefix` and with the same
 * namespaces.
 */
function pathOfNext(
  { method, path }: { method: string | undefined; path: string },
  { location, isCancelledOnLeave }: Omit<About, 'path'>,
): string | undefined {
  const [pathname = '', asked] = path.split('?')
  const ofRun = LOCATION.exec(location)?.[1] ?? location
  if (method === 'GET') return pathname.endsWith(ofRun) ? path : undefined
  if (method !== 'POST' || !CREATION.test(pathname)) return undefined
  const namespaces = new URLSearchParams(asked).getAll('namespace')
  const query = new URLSearchParams(namespaces.map((one): [string, string] => ['namespace', one]))
  if (isCancelledOnLeave) query.set('cancel_on_disconnect', '1')
  return `${pathname.replace(CREATION, '')}${location}${query.size > 0 ? `?${query}` : ''}`
}

/** Passes on whole events, so that the client gets none twice. */
class RunEvents {
  readonly about: About
  #lastId: string | undefined
  /** The beginning of an event, with spare room: agents may send single bytes. */
  #held: Buffer = NOTHING
  #heldBytes = 0
  /** The client has only part of an event. */
  #isSplit = false

  constructor(about: About, lastId: string | undefined) {
    this.about = about
    this.#lastId = lastId
  }

  /** Takes the next bytes of the body; returns those that the client gets now. */
  take(chunk: Buffer): Buffer {
    // The held bytes have no end of an event, but maybe half of one, and the event's id.
    const from = Math.max(0, this.#heldBytes - ID_BYTES)
    const bytes = this.#heldBytes === 0 ? chunk : this.#append(chunk)
    const end = this.#endOfEvents(bytes, from)
    if (end > 0) {
      this.#isSplit = false
      this.#lastId = lastIdIn(bytes.subarray(0, end)) ?? this.#lastId
    }
    const isLong = this.#isSplit || bytes.length - end > MOST_HELD_BYTES
    const given = isLong ? Math.max(end, bytes.length - ID_BYTES) : end
    if (given > end) this.#isSplit = true
    if (given > 0 || this.#heldBytes === 0) this.#held = bytes.subarray(given)
    this.#heldBytes = bytes.length - given
    return bytes.subarray(0, given)
  }

  /** The rest for the client, at the end of the body. */
  end(): Buffer {
    return this.#held.subarray(0, this.#heldBytes)
  }

  /** After a break: forgets what the client does not have. `undefined`: nothing can continue the response. */
  next(): NextRequest | undefined {
    this.#held = NOTHING
    this.#heldBytes = 0
    return this.#isSplit ? undefined : { path: this.about.path, lastEventId: this.#lastId }
  }

  /** The held bytes with the chunk. */
  #append(chunk: Buffer): Buffer {
    const length = this.#heldBytes + chunk.length
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(2 * length)
      this.#held.copy(larger, 0, 0, this.#heldBytes)
      this.#held = larger
    }
    chunk.copy(this.#held, this.#heldBytes)
    return this.#held.subarray(0, length)
  }

  /** The end of the last whole event, or of the heartbeats after it. Before `from` there is none. */
  #endOfEvents(bytes: Buffer, from: number): number {
    const blank = bytes.subarray(from).lastIndexOf('\n\n')
    if (blank === -1 && this.#isSplit) return 0
    let end = blank === -1 ? 0 : from + blank + 2
    while (bytes[end] === COLON) {
      const line = bytes.indexOf('\n', Math.max(end, from))
      if (line === -1) break
      end = line + 1
    }
    return end
  }
}

/** `data` is JSON on one line, so no other line begins like this. */
function lastIdIn(events: Buffer): string | undefined {
  const at = events.lastIndexOf('\nid: ')
  if (at === -1) return undefined
  return events.toString('latin1', at + 5, events.indexOf('\n', at + 5))
}

/** White space before the value keeps the connection alive. */
class RunResult {
  readonly about: About
  #isBegun = false

  constructor(about: About) {
    this.about = about
  }

  take(chunk: Buffer): Buffer {
    this.#isBegun ||= VALUE.test(chunk.toString('latin1'))
    return chunk
  }

  end(): Buffer {
    return NOTHING
  }

  next(): NextRequest | undefined {
    return this.#isBegun ? undefined : { path: this.about.path }
  }
}
