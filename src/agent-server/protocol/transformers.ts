/**
 * The stream transformers that a graph was compiled with (`compile({ transformers })`). They see what the
 * run tells, may leave out some of it, and what they make of it is told too, as `custom` `{name, payload}`:
 * each push to a channel that has a name, and at the end what a promise became. Calls come in the order
 * of LangGraph's own `StreamMux`.
 */

import type { NewEvent } from '../../core/agent/event.ts'
import { CHANNELS, type Channel, protocolPlaceOf } from '../../core/agent/protocol.ts'
import type { Clock } from '../../core/clock.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { Graph } from '../../graph/js/langgraph/graph.ts'
import { toWire } from '../../graph/js/langgraph/wire.ts'
import { customOf } from '../../stream/protocol-event.ts'
import type { Emission } from '../streams/source.ts'

/** LangGraph's form of an event, with what the graph emitted as it is. */
interface StreamEvent {
  type: 'event'
  seq: number
  method: string
  params: { namespace: string[]; timestamp: number; node?: string; data: unknown }
}

interface Emitter {
  push(namespace: string[], event: StreamEvent): void
}

/** LangGraph's `StreamTransformer`. */
interface Transformer {
  /** LangChain's own: what it makes is for callers in the same process. */
  __native?: boolean
  onRegister?(emitter: Emitter): void
  init(): unknown
  /** Something falsy: the event is not to be told. */
  process(event: StreamEvent): unknown
  finalize?(): unknown
  fail?(error: unknown): void
}

/** LangGraph's `StreamChannel`; without a name it is for callers in the same process. */
interface StreamChannel {
  channelName?: string
  _wire(onPush: (item: unknown) => void): void
  _close(): void
  _fail(error: unknown): void
}

const CHANNEL_BRAND = Symbol.for('langgraph.stream_channel')

/** The server itself goes by these when it takes up a run: they are always told. */
const KEPT: ReadonlySet<Channel> = new Set(['checkpoints', 'lifecycle', 'input'])

/** Makes an event of the log. */
export type WriteEvent = (
  channel: Channel,
  namespace: string[],
  data: JsonValue,
  about: { node?: string | undefined; name?: string | undefined },
) => NewEvent

export class Transformers {
  readonly #transformers: Transformer[]
  readonly #channels: StreamChannel[] = []
  readonly #finals: { name: string; value: Promise<unknown> }[] = []
  readonly #write: WriteEvent
  readonly #clock: Clock
  /** What was made and is not handed on yet. */
  #told: NewEvent[] = []
  /** Of the event that is looked at: what is pushed meanwhile belongs there. */
  #namespace: string[] = []
  #seq = 0
  #isOver = false

  /** `undefined`: the graph has none. */
  static of(graph: Graph, write: WriteEvent, clock: Clock): Transformers | undefined {
    const all = (graph.streamTransformers ?? []).map((make) => make() as Transformer)
    const own = all.filter((one) => !one.__native)
    return own.length > 0 ? new Transformers(own, write, clock) : undefined
  }

  constructor(transformers: Transformer[], write: WriteEvent, clock: Clock) {
    this.#transformers = transformers
    this.#write = write
    this.#clock = clock
    for (const one of transformers) {
      one.onRegister?.({ push: (namespace, event) => this.#push(namespace, event) })
      this.#wire(one.init())
    }
  }

  /** What is to be told in place of these; `emission`: what they come from, if from one. */
  onEvents(events: NewEvent[], emission?: Emission): NewEvent[] {
    if (this.#isOver) return events
    for (const event of events) if (this.#isKept(event, emission)) this.#told.push(event)
    return this.#told.splice(0)
  }

  /** The graph is done: what was made at last, once every promise is settled. */
  async finish(): Promise<NewEvent[]> {
    const finalizing = this.#transformers.map((one) => one.finalize?.())
    for (const channel of this.#channels) channel._close()
    const finals = this.#finals.map(async ({ name, value }) => {
      this.#tell(`custom:${name}`, [], await value)
    })
    await Promise.allSettled([...finalizing, ...finals])
    this.#isOver = true
    return this.#told.splice(0)
  }

  /** The run has failed or was told to stop. A second call, or one after `finish`, does nothing. */
  fail(error: Error): NewEvent[] {
    if (this.#isOver) return []
    for (const one of [...this.#transformers, ...this.#channels]) {
      try {
        if ('process' in one) one.fail?.(error)
        else one._fail(error)
      } catch {
        // Why the run ends is told already.
      }
    }
    this.#isOver = true
    return this.#told.splice(0)
  }

  #wire(projection: unknown): void {
    for (const [key, value] of Object.entries(projection ?? {})) {
      if (isStreamChannel(value)) this.#wireChannel(value)
      else if (isPromise(value)) this.#finals.push({ name: key, value: settling(value) })
    }
  }

  #wireChannel(channel: StreamChannel): void {
    this.#channels.push(channel)
    const { channelName } = channel
    if (typeof channelName !== 'string') return
    channel._wire((item) => this.#tell(`custom:${channelName}`, this.#namespace, item))
  }

  #isKept(event: NewEvent, emission: Emission | undefined): boolean {
    const place = protocolPlaceOf(event.event)
    if (!place || place.channel === 'input') return true
    const { channel: method, namespace } = place
    const params = JSON.parse(event.data) as StreamEvent['params']
    const data = emission ? emitted(method, emission, params.data) : params.data
    const isWanted = this.#process(namespace, { method, params: { ...params, data } })
    return isWanted || KEPT.has(method)
  }

  /** Whether all of them want it told. */
  #process(namespace: string[], event: Pick<StreamEvent, 'method' | 'params'>): boolean {
    const before = this.#namespace
    this.#namespace = namespace
    try {
      this.#seq += 1
      const seen = { ...event, type: 'event', seq: this.#seq } as const
      return this.#transformers.map((one) => one.process(seen)).every(Boolean)
    } finally {
      this.#namespace = before
    }
  }

  #push(namespace: string[], { method, params }: StreamEvent): void {
    const timestamp = this.#clock.now()
    const isWanted = this.#process(namespace, {
      method,
      params: { ...params, namespace, timestamp },
    })
    if (isWanted) this.#tell(method, namespace, params.data, params.node)
  }

  /** How the root stands is the server's to say. */
  #tell(method: string, namespace: string[], given: unknown, node?: string): void {
    if (this.#isOver || (method === 'lifecycle' && namespace.length === 0)) return
    const channel = CHANNELS.find((one) => one === method) ?? 'custom'
    const data = channel === 'custom' ? customData(method, toWire(given)) : toWire(given)
    const name = channel === 'custom' ? ((data as JsonObject).name as string) : undefined
    this.#told.push(this.#write(channel, namespace, data, { node, name }))
  }
}

/** Every method that the protocol does not have is the name of a `custom` event. */
function customData(method: string, payload: JsonValue): JsonObject {
  if (method === 'custom') return customOf(payload)
  return { name: method.replace(/^custom:/, ''), payload }
}

/** What the graph emitted, as it is; `told`: the same as the log has it. */
function emitted(method: Channel, { mode, payload }: Emission, told: unknown): unknown {
  if (method !== mode || method === 'messages') return told
  const fields = payload as Record<string, unknown>
  switch (method) {
    case 'updates': {
      const { node } = told as { node: string }
      return { node, values: isObject(fields[node]) ? fields[node] : { value: fields[node] } }
    }
    case 'custom':
      return isObject(payload) && 'name' in payload ? payload : { payload }
    case 'tools':
      return 'output' in (told as object) ? { ...(told as object), output: fields.output } : told
    default:
      return payload
  }
}

/** The promise, which nobody may wait for where the run fails. */
function settling(value: PromiseLike<unknown>): Promise<unknown> {
  const promise = Promise.resolve(value)
  promise.catch(() => {})
  return promise
}

function isStreamChannel(value: unknown): value is StreamChannel {
  return isObject(value) && CHANNEL_BRAND in value
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
