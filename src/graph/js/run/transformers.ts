/**
 * The stream transformers that a graph was compiled with (`compile({ transformers })`). They see the run's events and
 * may drop some. What they make is emitted too, as `custom` `{name, payload}`: each push to a channel that has a name,
 * and at the end the value of a promise. Calls come in the order of LangGraph's own `StreamMux`.
 */
import type { Emission } from '../../../core/agent/host/emission.ts'
import type {
  MadeEvent,
  StreamTransform,
  ToldEvent,
  Transformed,
} from '../../../core/agent/host/run.ts'
import type { Channel } from '../../../core/agent/protocol.ts'
import { systemClock } from '../../../core/clock.ts'
import { withPlainNumbers } from '../../../core/exact-json.ts'
import { isObject } from '../../../core/json.ts'
import type { Graph } from '../langgraph/graph.ts'
import { toWire } from '../langgraph/wire.ts'
import { isPromise } from '../patches/node-work.ts'

/** LangGraph's form of an event, with the graph's own objects. */
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
  /** LangChain's own: its output is for callers in the same process. */
  __native?: boolean
  onRegister?(emitter: Emitter): void
  init(): unknown
  /** A falsy result drops the event. */
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

export class Transformers implements StreamTransform {
  readonly #transformers: Transformer[]
  readonly #channels: StreamChannel[] = []
  readonly #finals: { name: string; value: Promise<unknown> }[] = []
  /** LangGraph's objects of the emissions that were handed out. */
  readonly #payloads = new WeakMap<Emission, unknown>()
  /** Events that were made or kept, and are not handed on yet. */
  #told: Transformed = []
  /** Of the event in process: pushes during it belong to this namespace. */
  #namespace: string[] = []
  #seq = 0
  #isOver = false

  /** `undefined`: the graph has none. */
  static of(graph: Graph): Transformers | undefined {
    const all = (graph.streamTransformers ?? []).map((make) => make() as Transformer)
    const own = all.filter((one) => !one.__native)
    return own.length > 0 ? new Transformers(own) : undefined
  }

  constructor(transformers: Transformer[]) {
    this.#transformers = transformers
    for (const one of transformers) {
      one.onRegister?.({ push: (namespace, event) => this.#push(namespace, event) })
      this.#wire(one.init())
    }
  }

  /** The emission is handed out; `payload`: LangGraph's own object. */
  note(emission: Emission, payload: unknown): void {
    this.#payloads.set(emission, payload)
  }

  onEvents(events: ToldEvent[], of?: Emission): Transformed {
    withPlainNumbers(events).forEach((event, place) => {
      const isWanted = this.#isWanted(event, of)
      if (isWanted || event.isKept) this.#told.push(place)
    })
    return this.#told.splice(0)
  }

  async finish(): Promise<MadeEvent[]> {
    const finalizing = this.#transformers.map((one) => one.finalize?.())
    for (const channel of this.#channels) channel._close()
    const finals = this.#finals.map(async ({ name, value }) => {
      this.#tell(`custom:${name}`, [], await value)
    })
    await Promise.allSettled([...finalizing, ...finals])
    return this.#over()
  }

  fail({ name, message }: { name: string; message: string }): MadeEvent[] {
    if (this.#isOver) return []
    const error = Object.assign(new Error(message), { name })
    for (const one of [...this.#transformers, ...this.#channels]) {
      try {
        if ('process' in one) one.fail?.(error)
        else one._fail(error)
      } catch {
        // The reason for the end of the run is already reported.
      }
    }
    return this.#over()
  }

  #over(): MadeEvent[] {
    this.#isOver = true
    return this.#told.splice(0).filter((one) => typeof one !== 'number')
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

  #isWanted({ method, namespace, timestamp, node, data }: ToldEvent, of?: Emission): boolean {
    const isKnown = of !== undefined && this.#payloads.has(of)
    const own = isKnown ? emitted(method, of.mode, this.#payloads.get(of), data) : data
    const params = { namespace, timestamp, ...(node !== undefined && { node }), data: own }
    return this.#process(namespace, { method, params })
  }

  /** Whether all transformers keep the event. */
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
    const timestamp = systemClock.now()
    const isWanted = this.#process(namespace, {
      method,
      params: { ...params, namespace, timestamp },
    })
    if (isWanted) this.#tell(method, namespace, params.data, params.node)
  }

  /** The server itself reports the lifecycle of the root. */
  #tell(method: string, namespace: string[], given: unknown, node?: string): void {
    if (this.#isOver || (method === 'lifecycle' && namespace.length === 0)) return
    const data = toWire(given)
    this.#told.push({ method, namespace, data, ...(node !== undefined && { node }) })
  }
}

/** The graph's own object of an event; `told`: its form in the log. */
function emitted(method: Channel, mode: string, payload: unknown, told: unknown): unknown {
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

/** Marks the promise as handled: it may never be awaited if the run fails. */
function settling(value: PromiseLike<unknown>): Promise<unknown> {
  const promise = Promise.resolve(value)
  promise.catch(() => {})
  return promise
}

function isStreamChannel(value: unknown): value is StreamChannel {
  return isObject(value) && CHANNEL_BRAND in value
}
