/** The thread-centred protocol by hand: commands over HTTP, events as they stand on the wire. */
import type { ProtocolFilter } from '../../../src/core/agent/protocol.ts'
import { framesOf } from './transcript.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a test looks into
type Anything = any

type Headers = Record<string, string>

export interface WireEvent {
  type: 'event'
  event_id: string
  seq: number
  method: string
  params: { namespace: string[]; timestamp: number; node?: string; data: Anything }
}

export const EVERYTHING = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
]

export type Answer = {
  type: string
  id: number | null
  result?: Anything
  error?: string
  message?: string
  meta?: Anything
}

/** Sends a command and answers what came. */
export async function send(
  url: string,
  thread_id: string,
  method: string,
  params: object = {},
  headers: Headers = {},
): Promise<Answer> {
  const body = { id: 1, method, params }
  const response = await post(`${url}/threads/${thread_id}/commands`, body, { headers })
  return response.json() as Promise<Answer>
}

export function subscribe(
  url: string,
  thread_id: string,
  wish: Partial<ProtocolFilter> & { since?: number } = {},
  signal?: AbortSignal,
  headers: Headers = {},
): Promise<Response> {
  const body = { channels: EVERYTHING, ...wish }
  return post(`${url}/threads/${thread_id}/stream/events`, body, {
    headers,
    ...(signal && { signal }),
  })
}

/** The run of this number on the stream, counted from 1, is over. */
export function endOfRun(count: number): (event: WireEvent) => boolean {
  let ends = 0
  return ({ method, params }) => {
    const isRoot = method === 'lifecycle' && params.namespace.length === 0
    if (isRoot && params.data.event !== 'running') ends += 1
    return ends === count
  }
}

/** The events of a stream up to the first for which `isLast` holds; then it is hung up. */
export async function readUntil(
  response: Response,
  isLast: (event: WireEvent) => boolean,
): Promise<WireEvent[]> {
  const events: WireEvent[] = []
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const last = text.lastIndexOf('\n\n')
    // A heartbeat alone is no frame.
    if (last < 0) continue
    const end = last + 2
    for (const frame of framesOf(text.slice(0, end))) {
      const event = eventIn(frame)
      events.push(event)
      if (isLast(event)) return events
    }
    text = text.slice(end)
  }
  throw new Error(`the stream ended after ${events.length} events`)
}

/** The event of one frame, whose lines must say what it says. */
function eventIn(frame: string): WireEvent {
  const [, method, data = '', id] = /^event: (.*)\ndata: (.*)\nid: (.*)\n\n$/.exec(frame) ?? []
  const event = JSON.parse(data) as WireEvent
  if (event.method !== method || event.event_id !== id) throw new Error(`not alike: ${frame}`)
  return event
}

function post(
  url: string,
  body: object,
  { headers, ...options }: { headers: Headers; signal?: AbortSignal },
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'test', ...headers },
    body: JSON.stringify(body),
    ...options,
  })
}

/** A WebSocket client that reads all that comes. */
export class SocketClient {
  readonly #socket: WebSocket
  readonly #heard: (WireEvent | Answer)[] = []
  readonly #news = new EventTarget()
  #count = 0
  #closed: { code: number; reason: string } | undefined

  constructor(url: string, thread_id: string, headers: Headers = {}) {
    const address = `${url.replace(/^http/, 'ws')}/threads/${thread_id}/stream/events`
    this.#socket = new WebSocket(address, { headers } as never)
    this.#socket.onmessage = ({ data }) => this.#tell(() => this.#heard.push(JSON.parse(data)))
    this.#socket.onclose = ({ code, reason }) => this.#tell(() => (this.#closed = { code, reason }))
    this.#socket.onerror = () => {}
  }

  /** Sends a command and answers what came. */
  async send(method: string, params: object = {}): Promise<Answer> {
    this.#count += 1
    const id = this.#count
    await this.sendText(JSON.stringify({ id, method, params }))
    return this.answer((answer) => answer.id === id)
  }

  async sendText(text: string): Promise<void> {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      await new Promise((resolve) => this.#socket.addEventListener('open', resolve, { once: true }))
    }
    this.#socket.send(text)
  }

  /** All that came so far, in order. */
  get heard(): (WireEvent | Answer)[] {
    return this.#heard
  }

  /** The first that has come, or comes, for which `isIt` holds. */
  async event(isIt: (event: WireEvent) => boolean): Promise<WireEvent> {
    return (await this.#first((one) => one.type === 'event' && isIt(one as WireEvent))) as WireEvent
  }

  answer(isIt: (answer: Answer) => boolean): Promise<Answer> {
    return this.#first((one) => one.type !== 'event' && isIt(one as Answer)) as Promise<Answer>
  }

  async closed(): Promise<{ code: number; reason: string }> {
    while (!this.#closed) await this.#change()
    return this.#closed
  }

  close(): void {
    this.#socket.close()
  }

  async #first(isIt: (one: WireEvent | Answer) => boolean): Promise<WireEvent | Answer> {
    for (let i = 0; ; i += 1) {
      while (i >= this.#heard.length) {
        if (this.#closed) throw new Error(`closed with ${this.#closed.code} before it came`)
        await this.#change()
      }
      const one = this.#heard[i] as WireEvent | Answer
      if (isIt(one)) return one
    }
  }

  #tell(what: () => void): void {
    what()
    this.#news.dispatchEvent(new Event('news'))
  }

  #change(): Promise<unknown> {
    return new Promise((resolve) => this.#news.addEventListener('news', resolve, { once: true }))
  }
}
