/** The name of a deployment: its current target, and the requests that wait. */
import type { ServerResponse } from 'node:http'
import { haveOwnAuth } from '../core/deployment/runtime.ts'
import type { Activity, Hold, Target, TargetState } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { CorsConfig } from '../core/network/cors.ts'
import type { Upstream } from './upstream/connections.ts'

/** How many callers without a key may wait for one name at a time. */
const MAX_ANONYMOUS = 100

type NameState =
  | { kind: 'serving'; workspace_id: string; target: Target; upstreams: Upstream[] }
  /** `isWanted`: a request that may wake it has arrived since. */
  | ({ kind: 'held'; isWanted: boolean } & Hold)
  | { kind: 'paused'; workspace_id: string }
  /** Another gateway serves it, at `url`; `null`: not known yet. */
  | { kind: 'elsewhere'; workspace_id: string; url: string | null }

export class Name {
  readonly name: string
  /** `undefined`: the deployment was removed. */
  state: NameState | undefined
  readonly #waiting = new Set<() => void>()
  #openCount = 0
  #anonymousCount = 0
  #lastAt = Date.now()
  /**
   * Whether the project's own auth decides who may call it. While nothing runs, this is the last agent server's report.
   * `undefined`: none has run yet.
   */
  hasOwnAuth: boolean | undefined
  /** Whether requests need no key here. */
  isPublic = false
  /** What pages of other origins may do, as the agent server, or the last one, reported. */
  cors: CorsConfig = {}

  constructor(name: string) {
    this.name = name
  }

  /** Sets the new state, retires the upstreams that it no longer has, and wakes the requests that wait. */
  setState(state: NameState | undefined): void {
    if (state?.kind === 'serving') {
      this.cors = state.upstreams[0]?.endpoint.cors ?? {}
      this.hasOwnAuth = haveOwnAuth(state.upstreams.map(({ endpoint }) => endpoint))
    }
    // The report of the agent server that ran here is newer than the record.
    if (state?.kind === 'held') this.hasOwnAuth ??= state.hasOwnAuth
    const before = upstreamsOf(this.state)
    this.state = state
    const now = upstreamsOf(state)
    for (const upstream of before) if (!now.includes(upstream)) upstream.retire()
    for (const wake of [...this.#waiting]) wake()
  }

  /**
   * Counts a request as open until the returned function is called. `isAsked`: the request keeps the deployment awake.
   */
  enter(): (isAsked: boolean) => void {
    this.#openCount += 1
    return (isAsked) => {
      this.#openCount -= 1
      if (isAsked) this.#lastAt = Date.now()
    }
  }

  get isAsleep(): boolean {
    return this.state?.kind === 'held' && this.state.onRequest !== undefined
  }

  /** As `TargetTable` shows it. */
  get observed(): TargetState {
    const { state } = this
    if (!state) return { kind: 'unknown' }
    if (state.kind === 'paused' || state.kind === 'elsewhere') return { kind: 'paused' }
    if (state.kind === 'serving') {
      const { revision_id, endpoints } = state.target
      return { kind: 'serving', revision_id, endpoints }
    }
    return this.isAsleep ? { kind: 'asleep', isWanted: state.isWanted } : { kind: 'held' }
  }

  get activity(): Activity {
    return { open: this.#openCount, last_at: this.#lastAt }
  }

  /** Throws `unavailable` when nothing runs and nothing will. Throws `not_found` when another gateway answers. */
  requireNotPaused(): void {
    if (this.state?.kind === 'elsewhere') throw elsewhere(this.name, this.state.url)
    if (this.state?.kind !== 'paused') return
    throw new AppError('unavailable', `No revision of "${this.name}" is running; try again later.`)
  }

  /** Notifies the holder that a request waits. */
  noteWaiting(): void {
    if (this.state?.kind !== 'held') return
    this.state.isWanted = true
    this.state.onRequest?.()
  }

  /**
   * Waits like `changed`, for a caller who is not known. Throws `unavailable` when too many of them wait already, so
   * that they do not use up the connections.
   */
  async changedForAnonymous(ms: number, res: ServerResponse): Promise<void> {
    if (this.#anonymousCount >= MAX_ANONYMOUS) {
      throw new AppError(
        'unavailable',
        `Too many requests wait for "${this.name}" already; try again soon.`,
      )
    }
    this.#anonymousCount += 1
    await this.changed(ms, res)
    this.#anonymousCount -= 1
  }

  /** Settles when the state changes, after `ms`, or when the client of `res` leaves. */
  changed(ms: number, res: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        res.off('close', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiting.add(done)
      res.once('close', done)
    })
  }
}

function elsewhere(name: string, url: string | null): AppError {
  const where =
    url === null ? 'Its listener has not said yet at which address.' : `Call it at ${url}.`
  return new AppError('not_found', `"${name}" runs at a listener, in another cluster. ${where}`)
}

function upstreamsOf(state: NameState | undefined): Upstream[] {
  return state?.kind === 'serving' ? state.upstreams : []
}
