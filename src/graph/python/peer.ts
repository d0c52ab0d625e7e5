/**
 * The agent server's end of the connection to a Python host: calls, streams, signals and notes, in both
 * directions (`hosts/python/PROTOCOL.md`).
 */
import type { Duplex } from 'node:stream'
import { HostAway } from '../../core/errors.ts'
import { fromWireError, toWireError, type WireError } from './errors.ts'
import { FRAME, type Frame, FrameReader, FrameWriter, type WithBytes } from './frames.ts'
import { Items, Sender } from './streams.ts'

type Params = Record<string, unknown>

/** A call that the host makes. */
export class IncomingCall {
  readonly id: number
  readonly method: string
  readonly params: Params
  /** The byte strings that the params refer to by place. */
  readonly bytes: readonly Uint8Array[]
  readonly #peer: Peer
  readonly #sender: Sender<unknown>
  // Made when they are used: most calls need neither, and each checkpoint is a call.
  #upload: Items<unknown> | undefined
  #abort: AbortController | undefined
  #isAborted = false
  /** Why the host is gone. */
  #cutBy: unknown

  constructor(peer: Peer, id: number, frame: Frame, bytes: readonly Uint8Array[]) {
    this.#peer = peer
    this.id = id
    this.method = frame[2] as string
    this.params = frame[3] as Params
    this.bytes = bytes
    this.#sender = new Sender((item) => peer.send([FRAME.ITEM, id, item]))
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#isAborted) this.#abort.abort()
    return this.#abort.signal
  }

  /** What the host uploads with the call. */
  get upload(): Items<unknown> {
    this.#upload ??= new Items({
      give: (count) => this.#peer.send([FRAME.CREDIT, this.id, count]),
      unwant: () => this.#peer.send([FRAME.END, this.id]),
    })
    if (this.#cutBy !== undefined) this.#upload.end(this.#cutBy)
    return this.#upload
  }

  /** Sends an item before the answer. `false`: the rest is not wanted. */
  async send(item: unknown): Promise<boolean> {
    const isWanted = await this.#sender.send(item)
    await this.#peer.drained
    return isWanted
  }

  receive(kind: number, value: unknown): void {
    switch (kind) {
      case FRAME.ABORT:
        this.#aborted()
        break
      case FRAME.ITEM:
        this.upload.push(value)
        break
      case FRAME.END:
        this.upload.end()
        break
      case FRAME.CREDIT:
        this.#sender.give(value as number)
        break
      case FRAME.UNWANTED:
        this.#sender.unwant()
        break
    }
  }

  /** The host is gone. */
  cut(error: unknown): void {
    this.#sender.unwant()
    this.#cutBy = error
    this.#upload?.end(error)
    this.#aborted()
  }

  #aborted(): void {
    this.#isAborted = true
    this.#abort?.abort()
  }
}

interface CallOptions {
  /** Whether it waits for a blocked host without limit. Default `false`. */
  isPatient?: boolean
  /** Receives an answer that comes after the call was given up. Default: it is dropped. */
  onLate?: (answer: unknown) => void
}

/** A call of ours. */
export class OutgoingCall {
  readonly id: number
  readonly method: string
  /** See `CallOptions`. */
  isPatient: boolean
  readonly onLate: CallOptions['onLate']
  /** By the monotonic clock, in ms. */
  readonly begunAt = performance.now()
  /** The host's answer; rejects with the reason if there is none. */
  readonly answer: Promise<unknown>
  readonly #answer = Promise.withResolvers<unknown>()
  readonly #peer: Peer
  readonly items: Items<unknown>
  #uploads: Sender<unknown> | undefined
  #isOver = false
  #unwatch: () => void = () => {}

  constructor(peer: Peer, id: number, method: string, { isPatient = false, onLate }: CallOptions) {
    this.#peer = peer
    this.id = id
    this.method = method
    this.isPatient = isPatient
    this.onLate = onLate
    this.answer = this.#answer.promise
    // A caller that only reads items gets the failure from them.
    this.answer.catch(() => {})
    this.items = new Items({
      give: (count) => peer.send([FRAME.CREDIT, id, count]),
      unwant: () => peer.send([FRAME.UNWANTED, id]),
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Asks the host to end the call; the call goes on until its answer. */
  abort(): void {
    if (!this.#isOver) this.#peer.send([FRAME.ABORT, this.id])
  }

  /** Aborts when the signal does. */
  abortOn(signal: AbortSignal): this {
    const abort = () => this.abort()
    if (signal.aborted) abort()
    else {
      signal.addEventListener('abort', abort, { once: true })
      // A named constant: V8 keeps a function that is assigned to a property until the heap is collected as a whole.
      const unwatch = () => signal.removeEventListener('abort', abort)
      this.#unwatch = unwatch
    }
    return this
  }

  async upload(body: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    const uploads = new Sender<unknown>((item) => this.#peer.send([FRAME.ITEM, this.id, item]))
    this.#uploads = uploads
    try {
      for await (const chunk of body) {
        if (!(await uploads.send(chunk))) break
        await this.#peer.drained
      }
    } catch {
      // The body broke off: so does the call.
      this.abort()
    }
    if (!this.#isOver) this.#peer.send([FRAME.END, this.id])
  }

  receive(kind: number, value: unknown): void {
    switch (kind) {
      case FRAME.ITEM:
        this.items.push(value)
        break
      case FRAME.CREDIT:
        this.#uploads?.give(value as number)
        break
      case FRAME.END:
        this.#uploads?.unwant()
        break
      case FRAME.ANSWER:
        this.end(kind, value)
        break
      case FRAME.FAILURE:
        this.end(kind, fromWireError(value as WireError))
        break
    }
  }

  /** `value`: the answer, or the error. */
  end(kind: typeof FRAME.ANSWER | typeof FRAME.FAILURE, value: unknown): void {
    this.#isOver = true
    this.#unwatch()
    this.#uploads?.unwant()
    if (kind === FRAME.ANSWER) {
      this.#answer.resolve(value)
      this.items.end()
    } else {
      this.#answer.reject(value)
      this.items.end(value)
    }
  }
}

interface PeerParts {
  /** Handles a call of the host. Its error is sent to the host. */
  onCall: (call: IncomingCall) => Promise<unknown>
  onNote: (method: string, params: Params) => void
  /** The host sent something that is no frame: the host must be ended. */
  onBroken: (error: unknown) => void
}

export class Peer {
  readonly #parts: PeerParts
  readonly #stream: Duplex
  readonly #writer = new FrameWriter()
  readonly #outgoing = new Map<number, OutgoingCall>()
  readonly #incoming = new Map<number, IncomingCall>()
  /** Takers of late answers to calls that were given up, by the ids of the calls. */
  readonly #late = new Map<number, (answer: unknown) => void>()
  #lastId = -1
  #isFlushing = false
  /** When the host last sent something, by `performance.now`. */
  heardAt = performance.now()
  #drained: PromiseWithResolvers<void> | undefined
  #ended: Error | undefined

  constructor(stream: Duplex, parts: PeerParts) {
    this.#parts = parts
    this.#stream = stream
    const reader = new FrameReader((frame, bytes) => this.#receive(frame, bytes))
    stream.on('data', (chunk: Buffer) => {
      this.heardAt = performance.now()
      try {
        reader.feed(chunk)
      } catch (error) {
        parts.onBroken(error)
      }
    })
    stream.on('drain', () => {
      this.#drained?.resolve()
      this.#drained = undefined
    })
    // The host's process reports how the host ends.
    stream.on('error', () => {})
  }

  /** How many of our calls are under way. */
  get calls(): number {
    return this.#outgoing.size
  }

  /** Resolves when the host reads again; `undefined` while it does. */
  get drained(): Promise<void> | undefined {
    return this.#drained?.promise
  }

  async call(method: string, params: Params | WithBytes, options?: CallOptions): Promise<unknown> {
    return this.begin(method, params, options).answer
  }

  /** Throws if the host is gone, and for params that cannot be sent. */
  begin(method: string, params: Params | WithBytes, options: CallOptions = {}): OutgoingCall {
    if (this.#ended) throw this.#ended
    this.#lastId += 2
    const call = new OutgoingCall(this, this.#lastId, method, options)
    this.send([FRAME.CALL, call.id, method, params])
    this.#outgoing.set(call.id, call)
    return call
  }

  note(method: string, params: Params): void {
    this.send([FRAME.NOTE, method, params])
  }

  /** Frames that are sent in one turn of the loop are written together. */
  send(frame: Frame): void {
    if (this.#ended) return
    this.#writer.add(frame)
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => this.#flush())
  }

  /**
   * Fails calls of these methods that began before, except patient ones: the host does not answer, and may never. If it
   * goes on, it must not run them any more.
   */
  giveUp(methods: ReadonlySet<string>, begunBefore: number): void {
    for (const call of this.#outgoing.values()) {
      if (call.isPatient || call.begunAt > begunBefore || !methods.has(call.method)) continue
      call.abort()
      if (call.onLate) this.#late.set(call.id, call.onLate)
      call.end(
        FRAME.FAILURE,
        new HostAway('The Python host is busy: a graph blocks its event loop.'),
      )
      this.#outgoing.delete(call.id)
    }
  }

  /** The host is gone: every call fails with this. A second call does nothing. */
  end(error: Error): void {
    if (this.#ended) return
    this.#ended = error
    this.#drained?.resolve()
    this.#stream.destroy()
    for (const call of this.#outgoing.values()) call.end(FRAME.FAILURE, error)
    for (const call of this.#incoming.values()) call.cut(error)
    this.#outgoing.clear()
    this.#incoming.clear()
    this.#late.clear()
  }

  #flush(): void {
    this.#isFlushing = false
    if (this.#ended || this.#writer.isEmpty) return
    if (!this.#stream.write(this.#writer.take())) this.#drained ??= Promise.withResolvers()
  }

  #receive(frame: Frame, bytes: readonly Uint8Array[]): void {
    const [kind, id, json] = frame as [number, number, unknown]
    const value = bytes[0] ?? json
    if (kind === FRAME.CALL) {
      void this.#answer(new IncomingCall(this, id, frame, bytes))
    } else if (kind === FRAME.NOTE) {
      this.#parts.onNote(frame[1] as string, frame[2] as Params)
    } else if (id % 2 === 0) {
      this.#incoming.get(id)?.receive(kind, value)
    } else {
      this.#outgoing.get(id)?.receive(kind, value)
      if (kind === FRAME.ANSWER || kind === FRAME.FAILURE) this.#isAnswered(id, kind, value)
    }
  }

  #isAnswered(id: number, kind: number, value: unknown): void {
    this.#outgoing.delete(id)
    if (kind === FRAME.ANSWER) this.#late.get(id)?.(value)
    this.#late.delete(id)
  }

  async #answer(call: IncomingCall): Promise<void> {
    this.#incoming.set(call.id, call)
    try {
      const value = await this.#parts.onCall(call)
      this.send([FRAME.ANSWER, call.id, value])
    } catch (thrown) {
      this.send([FRAME.FAILURE, call.id, toWireError(thrown)])
    } finally {
      this.#incoming.delete(call.id)
    }
  }
}
