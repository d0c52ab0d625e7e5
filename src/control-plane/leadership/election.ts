/**
 * Takes part in the election of a leader among the control planes of one database.
 *
 * ```
 * following ──no leader, or the leader's beat has not changed──▶ leading
 *     ▲                                                            │
 *     └──────────── another has taken over, or `stop` ─────────────┘
 * ```
 *
 * A leader that cannot reach the database stops deciding after `SURE_MS`, before another may take over. Work
 * that it has started goes on. If no other control plane has taken over, it leads on.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Leadership, LeadershipStore, Term } from '../../core/deployment/leadership.ts'
import type { Log } from '../../core/log.ts'

/** How often a leader renews, and others look, in ms. */
const BEAT_MS = 1000
/** How long a leader is sure of its lead after it began to renew, in ms. */
const SURE_MS = 6000
/** How many looks in a row find the same beat before one takes over; longer than `SURE_MS`. */
const STILL_LOOKS = 10

interface ElectionOptions {
  store: LeadershipStore
  /** Names the data folder, which one process uses at a time: it takes over from its predecessor at once. */
  holder: string
  log: Log
}

/** What to do when this control plane begins to lead, and when its lead ends. */
interface Duties {
  /** Begins the leader's work. If it throws, another may try. */
  onElected: (term: Term) => Promise<void>
  /** Ends the work that only a leader may do: another may begin when it has settled. */
  onEnding: () => Promise<void>
  /** Then ends the rest, if this control plane goes on as a follower. */
  onLost: () => Promise<void>
}

export class Election {
  readonly #options: ElectionOptions
  readonly #stopping = new AbortController()
  /** Set by `start`; until then this control plane does not lead. */
  #duties: Duties | undefined
  /** This control plane's URL for the others; empty while it does not listen. */
  #url = ''
  #running: Promise<void> | undefined
  /** Its term while this control plane leads, or tries to. */
  #term: { token: number; sureUntil: number } | undefined
  #isLeading = false
  /** What the last look found. `stillLooks`: how many looks in a row have found the same. */
  #seen: (Leadership & { stillLooks: number }) | undefined

  constructor(options: ElectionOptions) {
    this.#options = options
  }

  /** Settles when the leader is known; if it is this control plane, `onElected` has settled. */
  async start(duties: Duties): Promise<void> {
    this.#duties = duties
    const first = await this.#options.store.get()
    this.#note(first)
    if (first.holder === null || first.holder === this.#options.holder) await this.#take(first)
    this.#running = this.#run()
  }

  /** Whether `onElected` has settled and no other leader is known. */
  get isLeading(): boolean {
    return this.#isLeading
  }

  /** The URL of the leader, if it is another control plane and has announced one. */
  get leaderUrl(): string | undefined {
    const { holder, url } = this.#seen ?? { holder: null, url: '' }
    return this.#term === undefined && holder !== null && url !== '' ? url : undefined
  }

  /** Announces this control plane's URL to the others at once. */
  async announce(url: string): Promise<void> {
    this.#url = url
    if (this.#term) await this.#renew(this.#term.token)
  }

  /** Leaves the election: ends the leader's work, then lets another lead at once. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#resign()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await delay(BEAT_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await this.#step().catch((err: unknown) => {
        // The leader could not reach the database either.
        if (this.#seen) this.#note(this.#seen)
        this.#options.log.warn({ err }, 'who leads cannot be looked up; looking again')
      })
    }
  }

  #step(): Promise<void> {
    return this.#term ? this.#renew(this.#term.token) : this.#look()
  }

  async #renew(token: number): Promise<void> {
    const begun = performance.now()
    const { store, log } = this.#options
    if (await store.renew(token, this.#url)) {
      this.#term = { token, sureUntil: begun + SURE_MS }
      return
    }
    log.warn({ token }, 'another control plane has taken over; this one follows')
    this.#isLeading = false
    this.#term = undefined
    this.#seen = undefined
    await store.get().then(
      (seen) => this.#note(seen),
      () => {},
    )
    await this.#duties?.onEnding()
    await this.#duties?.onLost()
  }

  async #look(): Promise<void> {
    const seen = await this.#options.store.get()
    const last = this.#seen
    const isSame = seen.token === last?.token && seen.beat === last.beat
    const stillLooks = isSame ? last.stillLooks + 1 : 0
    this.#note(seen, stillLooks)
    if (seen.holder === null || stillLooks >= STILL_LOOKS) await this.#take(seen)
  }

  #note(seen: Leadership, stillLooks = 0): void {
    this.#seen = { ...seen, stillLooks }
  }

  async #take(seen: Leadership): Promise<void> {
    const begun = performance.now()
    const { store, holder, log } = this.#options
    const token = await store.take(seen, holder)
    if (token === undefined) return this.#note(await store.get())
    this.#term = { token, sureUntil: begun + SURE_MS }
    log.info({ token }, 'this control plane leads')
    try {
      await this.#duties?.onElected({ token, isSure: () => this.#isSure(token) })
      this.#isLeading = true
    } catch (error) {
      await this.#resign().finally(() => this.#duties?.onLost())
      throw error
    }
    await this.#renew(token)
  }

  #isSure(token: number): boolean {
    const term = this.#term
    return term?.token === token && performance.now() < term.sureUntil
  }

  /** Waits for steps that are under way before another may lead. */
  async #resign(): Promise<void> {
    const term = this.#term
    if (!term) return
    this.#isLeading = false
    await this.#duties?.onEnding()
    this.#term = undefined
    await this.#options.store.release(term.token)
  }
}
