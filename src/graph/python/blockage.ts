/**
 * A host whose event loop is blocked answers no call. Its runs can only wait; other calls are given up, since they must
 * not wait for a node that may never end.
 */
import type { Peer } from './peer.ts'

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
