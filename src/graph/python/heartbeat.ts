/**
 * Notices a host that gives no sign of life: its interpreter is stopped, because C code holds its lock or the process
 * is paused. The silence is logged, and after a while the host is lost.
 */
import type { Log } from '../../core/log.ts'
import type { Peer } from './peer.ts'

/** All in ms. */
const LIMITS = {
  /** How often the watch looks. */
  lookMs: 1_000,
  /** How long without a beat, which comes each second, until the silence is logged. */
  toldMs: 5_000,
  /** And until the host is lost. */
  lostMs: 20_000,
}

interface HeartbeatParts {
  onLost: () => void
  log: Log
  limits?: Partial<typeof LIMITS>
}

export class Heartbeat {
  readonly #parts: HeartbeatParts
  readonly #limits: typeof LIMITS
  /** `undefined`: no beat came yet. */
  #timer: NodeJS.Timeout | undefined
  #lastBeat = 0
  #lookedAt = 0
  #isTold = false
  #isOver = false

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#limits = { ...LIMITS, ...parts.limits }
  }

  /** The first beat begins the watch. */
  beat(): void {
    if (this.#isOver) return
    this.#lastBeat = performance.now()
    if (this.#isTold) this.#parts.log.warn({}, 'the Python host gives signs of life again')
    this.#isTold = false
    this.#lookedAt = this.#lastBeat
    this.#timer ??= setInterval(() => this.#look(), this.#limits.lookMs).unref()
  }

  stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    const { lookMs, toldMs, lostMs } = this.#limits
    // This process itself was paused, and has not read the beats yet.
    if (now - this.#lookedAt > 3 * lookMs) this.#lastBeat = now
    this.#lookedAt = now
    const silentMs = now - this.#lastBeat
    if (silentMs >= lostMs) {
      this.stop()
      this.#tell(silentMs, 'the Python host gives no sign of life: it is ended')
      this.#parts.onLost()
    } else if (silentMs >= toldMs && !this.#isTold) {
      this.#isTold = true
      this.#tell(silentMs, 'the Python host gives no sign of life: none of its runs goes on')
    }
  }

  #tell(silentMs: number, message: string): void {
    this.#parts.log.error({ silent_ms: Math.round(silentMs) }, message)
  }
}

/** How long a call waits for a host that is blocked, in ms. */
const PATIENCE_MS = 10_000
const LOOK_MS = 1_000

/**
 * Calls that are given up; a run that has begun goes on when its loop does, and so does the factory that is called for
 * it.
 */
const GIVEN_UP: ReadonlySet<string> = new Set([
  ...['open', 'graph.names', 'graph.schemas', 'graph.draw', 'graph.get_state'],
  ...['graph.list_states', 'graph.update_state', 'graph.run'],
  ...['auth.authenticate', 'auth.authorize', 'embed'],
])

/**
 * A host whose event loop is blocked answers no call. Its runs can only wait; other calls are given up, since they must
 * not wait for a node that may never end.
 */
export class Blockage {
  readonly #peer: Peer
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(peer: Peer) {
    this.#peer = peer
  }

  /** Whether the host has sent nothing since it reported the blockage. */
  get isOn(): boolean {
    if (this.#since !== undefined && this.#peer.heardAt > this.#since) this.stop()
    return this.#since !== undefined
  }

  /** The host reports a blockage. */
  begin(): void {
    this.#since = performance.now()
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  stop(): void {
    this.#since = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    if (this.isOn) this.#peer.giveUp(GIVEN_UP, performance.now() - PATIENCE_MS)
  }
}
