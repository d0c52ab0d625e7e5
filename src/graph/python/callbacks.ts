/** Handles the calls of a Python host to the agent server. */
import type { CheckpointRecord, GraphCheckpoints, TypedBytes } from '../../core/agent/checkpoint.ts'
import type { HostCalls, ItemPut } from '../../core/agent/host/calls.ts'
import type { RunCalls } from '../../core/agent/host/run.ts'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { plainNumber, withPlainNumbers } from '../../core/exact-json.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'
import type { Place } from '../../core/origin.ts'
import { WithBytes } from './frames.ts'
import { answerWith, readRequest } from './http.ts'
import type { IncomingCall } from './peer.ts'
import type { PassOn } from './python-routes.ts'

// The host is ours: its params have the port's types.
// biome-ignore lint/suspicious/noExplicitAny: each method has its own
type Params = any

interface CallbackParts {
  bindings: Bindings
  /** `undefined`: no agent server is connected. */
  server: () => HostCalls | undefined
  /** Passes on a request for the project's routes, by the id of its call. */
  passOn: (of: number) => PassOn | undefined
}

export class Callbacks {
  readonly #parts: CallbackParts
  /** `langgraph_sdk.cache`: JSON by key, in this server's memory, shared by all its Python processes. */
  readonly #cache = new ExpiringMap<string>(ROOM, systemClock)
  readonly #methods: Readonly<Record<string, (call: IncomingCall, params: Params) => unknown>>

  constructor(parts: CallbackParts) {
    this.#parts = parts
    this.#methods = {
      'checkpoints.put': (call, params) => this.#put(call, params),
      'checkpoints.put_writes': (call, params) => this.#putWrites(call, params),
      'checkpoints.get': (_, params) => this.#get(params),
      'checkpoints.list': (_, { of, query }) => this.#list(of, query),
      'checkpoints.delete_thread': (_, { of, thread_id }) =>
        this.#bound(of).checkpoints.deleteThread(thread_id),
      'items.get': (_, { id, refresh }) => this.#server.items.get(id, refresh),
      'items.write': (_, { puts }) => this.#server.items.write(puts.map(readPut)),
      'items.search_all': (_, { searches, refresh }) =>
        this.#server.items.searchAll(searches, refresh),
      'items.namespaces': (_, { query, page }) => this.#server.items.namespaces(query, page),
      'cache.get': (_, { key }) => this.#cache.get(key),
      'cache.set': (_, params) => this.#keep(params),
      'routes.next': (call, params) => this.#passOn(call, params),
      fetch: (call, params) => this.#fetch(call, params),
    }
  }

  async answer(call: IncomingCall): Promise<unknown> {
    const method = Object.hasOwn(this.#methods, call.method) && this.#methods[call.method]
    if (!method) throw new AppError('internal', `The agent server has no ${call.method}.`)
    return (await method(call, call.params)) ?? null
  }

  note(method: string, params: Params): void {
    if (method === 'on_node') this.#parts.server()?.onNode(params.place as Place)
    if (method === 'spans') {
      this.#parts.bindings.tellSpans(params.of, withPlainNumbers(params.spans))
    }
  }

  async #put({ bytes }: IncomingCall, { of, checkpoint, versions, values }: Params): Promise<void> {
    const { checkpoints, taken } = this.#bound(of)
    await taken?.()
    const stored = { ...checkpoint, checkpoint: filled(checkpoint.checkpoint, bytes) }
    await checkpoints.put(stored, versions, allFilled(values, bytes))
  }

  async #putWrites({ bytes }: IncomingCall, { of, key, writes }: Params): Promise<void> {
    const { checkpoints, taken } = this.#bound(of)
    await taken?.()
    await checkpoints.putWrites(key, allFilled(writes, bytes))
  }

  async #get({ of, at }: Params): Promise<WithBytes | undefined> {
    const record = await this.#bound(of).checkpoints.get(at)
    return record && emptied(record)
  }

  async #list(of: number | undefined, query: Params): Promise<WithBytes> {
    return emptied(await this.#bound(of).checkpoints.list(query))
  }

  async #fetch(call: IncomingCall, { request, as_project, run_id }: Params): Promise<void> {
    const options = { asProject: as_project === true, run_id }
    const answer = await this.#server.fetch(readRequest(request, call), options)
    await answerWith(call, answer)
  }

  async #passOn(call: IncomingCall, { of, request, headers }: Params): Promise<void> {
    const passOn = this.#parts.passOn(of)
    if (!passOn) throw new AppError('conflict', 'The request was answered or passed on before.')
    const { answer, error } = await passOn(readRequest(request, call), new Headers(headers))
    await answerWith(call, answer, error && { error })
  }

  /** `value`: JSON of up to a million characters with its key. Throws `bad_request` for more. */
  #keep({ key, value, ttl_ms }: Params): void {
    const weight = key.length + value.length
    if (weight > MAX_VALUE_CHARS) {
      const most = `${MAX_VALUE_CHARS} characters with its key`
      throw new AppError('bad_request', `A value in the cache has at most ${most}, not ${weight}.`)
    }
    this.#cache.set(key, value, { ttlMs: plainNumber(ttl_ms), weight })
  }

  #bound(of: number | undefined): Binding {
    return of === undefined ? this.#server : this.#parts.bindings.find(of)
  }

  get #server(): HostCalls {
    const server = this.#parts.server()
    if (server) return server
    throw new AppError('unavailable', 'The agent server has stopped, or does not answer yet.')
  }
}

/** A time to live may be a float. */
function readPut({ ttl_minutes, ...put }: Params): ItemPut {
  return ttl_minutes === undefined ? put : { ...put, ttl_minutes: plainNumber(ttl_minutes) }
}

/** How much is kept at most: in values, and in characters of JSON. */
const ROOM = { entries: 10_000, weight: 32 * 1024 ** 2 }
const MAX_VALUE_CHARS = 1024 ** 2

/** Checkpoints on the connection: JSON with the place of each byte string, and the byte strings behind it. */
type Placed<T extends TypedBytes> = Omit<T, 'bytes'> & { bytes: number }

/** A received value, with its bytes. */
function filled<T extends TypedBytes>(value: Placed<T>, all: readonly Uint8Array[]): T {
  const bytes = all[value.bytes]
  if (bytes) return { ...value, bytes } as unknown as T
  throw new RangeError(`The frame has no bytes ${value.bytes}.`)
}

function allFilled<T extends TypedBytes>(values: Placed<T>[], all: readonly Uint8Array[]): T[] {
  return values.map((value) => filled(value, all))
}

/** Prepares one record or several to be sent. */
function emptied(found: CheckpointRecord | CheckpointRecord[]): WithBytes {
  const all: Uint8Array[] = []
  const place = ({ bytes, ...rest }: TypedBytes) => ({ ...rest, bytes: all.push(bytes) - 1 })
  const placed = ({ checkpoint, values, writes, ...rest }: CheckpointRecord) => ({
    ...rest,
    checkpoint: place(checkpoint),
    values: values.map(place),
    writes: writes.map(place),
  })
  return new WithBytes(Array.isArray(found) ? found.map(placed) : placed(found), all)
}

/** The checkpoints that a graph or a run writes to. */
interface Binding {
  checkpoints: GraphCheckpoints
  /** Resolves when the reader has taken what the run emitted so far; absent: nothing is emitted. */
  taken?: () => Promise<void>
  /** See `RunCalls`; absent: not a run. */
  onSpans?: RunCalls['onSpans']
}

/** By their numbers in the host. */
export class Bindings {
  readonly #all = new Map<number, Binding>()
  #last = 0

  add(binding: Binding): number {
    this.#last += 1
    this.#all.set(this.#last, binding)
    return this.#last
  }

  remove(of: number): void {
    this.#all.delete(of)
  }

  /** Reports spans of the run; nothing happens if the run is over. */
  tellSpans(of: number, spans: readonly TimelineSpan[]): void {
    this.#all.get(of)?.onSpans?.(spans)
  }

  /** Throws `conflict` if the run is over. */
  find(of: number): Binding {
    const found = this.#all.get(of)
    if (found) return found
    throw new AppError('conflict', 'The run is over: it writes nothing more.')
  }
}
