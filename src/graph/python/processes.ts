/**
 * The processes of a Python host, kept running. One that ends is started again: at once the first time, then after a
 * pause that grows until the process lives for a while.
 */

import { AppError, HostAway, type HostLost } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Backoff, keepRunning } from '../../process/restarts.ts'
import type { IncomingCall } from './peer.ts'
import { HostProcess, type Program } from './process.ts'

const BACKOFF: Backoff = { firstMs: 0, baseMs: 200, maxMs: 10_000, resetMs: 10_000 }
/** How long a call waits for a process that is being started, in ms. */
const PATIENCE_MS = 30_000

interface ProcessesParts {
  count: number
  logLevel: string
  onCall: (call: IncomingCall) => Promise<unknown>
  onNote: (method: string, params: Record<string, unknown>) => void
  onStep: (doing: string) => void
  log: Log
}

export class Processes {
  readonly #slots: Slot[]

  constructor(program: Program, { count, ...parts }: ProcessesParts) {
    this.#slots = Array.from(
      { length: count },
      (_, index) => new Slot(program, { ...parts, index }),
    )
  }

  /** Starts all side by side. Returns the first one's description of the project; throws the first error. */
  async start(): Promise<unknown> {
    const [first] = await Promise.all(this.#slots.map((slot) => slot.start()))
    return first
  }

  /** The least busy of the processes that are not blocked. Throws `HostAway` if none comes up for long. */
  async leastBusy(): Promise<HostProcess> {
    const running = this.#slots.flatMap(({ current }) => (current ? [current] : []))
    const [first, ...others] = running
    if (!first) return Promise.any(this.#slots.map((slot) => slot.ready())).catch(throwFirst)
    return others.reduce((best, one) => (loadOf(one) < loadOf(best) ? one : best), first)
  }

  /** The one with auth, routes and embeddings. Throws `HostAway` likewise. */
  first(): Promise<HostProcess> {
    return (this.#slots[0] as Slot).ready()
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop(graceMs)))
  }
}

function loadOf({ isBlocked, peer }: HostProcess): number {
  return isBlocked ? Number.POSITIVE_INFINITY : peer.calls
}

function throwFirst(error: AggregateError): never {
  throw error.errors[0]
}

type SlotParts = Omit<ProcessesParts, 'count'> & { index: number }

/** The place of one process, which stays when the process is replaced. */
class Slot {
  readonly #program: Program
  readonly #parts: SlotParts
  readonly #over = new AbortController()
  readonly #first = Promise.withResolvers<unknown>()
  /** Takes calls. */
  #current: HostProcess | undefined
  /** Takes calls, or is being started. */
  #process: HostProcess | undefined
  #next = Promise.withResolvers<HostProcess>()
  #hasStarted = false
  #running: Promise<void> | undefined

  constructor(program: Program, parts: SlotParts) {
    this.#program = program
    this.#parts = parts
  }

  get current(): HostProcess | undefined {
    return this.#current
  }

  start(): Promise<unknown> {
    const { signal } = this.#over
    this.#running ??= keepRunning({ runOnce: () => this.#runOnce(), backoff: BACKOFF, signal })
    return this.#first.promise
  }

  async ready(): Promise<HostProcess> {
    if (this.#current) return this.#current
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      const away = new HostAway('The Python host is being started again, which takes too long.')
      timer = setTimeout(() => reject(away), PATIENCE_MS)
    })
    try {
      return await Promise.race([this.#next.promise, limit])
    } finally {
      clearTimeout(timer)
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#over.abort()
    await this.#process?.stop(graceMs)
    await this.#running
  }

  /** Returns how long it lived, in ms. */
  async #runOnce(): Promise<number | undefined> {
    const { signal } = this.#over
    if (signal.aborted) return undefined
    const startedAt = performance.now()
    const process = new HostProcess(this.#program, this.#parts)
    this.#process = process
    try {
      const told = await process.start(this.#parts.logLevel)
      this.#hasStarted = true
      this.#current = process
      this.#first.resolve(told)
      this.#next.resolve(process)
    } catch (error) {
      await this.#fail(process, error)
      // The caller of the first start handles its failure; later ones are tried again.
      if (!this.#hasStarted) return undefined
    }
    await process.ended
    if (this.#current) this.#next = Promise.withResolvers()
    this.#current = undefined
    return performance.now() - startedAt
  }

  /** The project could not be loaded: the first start rejects. */
  async #fail(process: HostProcess, error: unknown): Promise<void> {
    const reason =
      error instanceof AppError && error.code === 'bad_request'
        ? error
        : endedAtStart(error, process)
    if (this.#hasStarted && !this.#over.signal.aborted) {
      this.#parts.log.error({ err: reason }, 'the Python host could not load the project')
    }
    process.discard()
    await process.ended
    this.#first.reject(reason)
  }
}

/** For people: the last output of the process gives the reason. */
function endedAtStart(error: unknown, { lastLines }: HostProcess): AppError {
  const { message } = error as HostLost
  const said = lastLines && `\n${lastLines}`
  return new AppError('bad_request', `The project could not be loaded. ${message}${said}`, {
    cause: error,
  })
}
