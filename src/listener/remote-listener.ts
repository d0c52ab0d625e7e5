/** A listener as the leading control plane sees it: its session, and its orders. */
import { EventEmitter, once } from 'node:events'
import { LISTENER_AWAY_MS } from '../core/deployment/listener.ts'
import type {
  ListenerOrders,
  ListenerReport,
  NameOrder,
  RevisionOrder,
  StopOrder,
} from '../core/deployment/listener-protocol.ts'
import { EXCHANGE_WAIT_MS } from '../core/deployment/listener-protocol.ts'
import { AppError } from '../core/errors.ts'
import type { ListenerState } from './errands.ts'

/** How many unknown revisions may be waiting for their stop; the listener reports more of them again. */
const MOST_UNKNOWN = 1000
/** How many replaced sessions are remembered. */
const MOST_SESSIONS = 100

interface RemoteListenerOptions {
  id: string
  /** Names this control plane's time as leader: versions of another leader mean nothing here. */
  term: string
  /** Its orders, beside those to stop. */
  collect: () => Pick<ListenerOrders, 'revisions' | 'names'>
  onAway: () => void
  drainMs: number
}

export class RemoteListener implements ListenerState {
  readonly id: string
  readonly #options: RemoteListenerOptions
  readonly #sessions = new Sessions()
  readonly #presence: Presence
  readonly #version: OrdersVersion
  /** Revisions of its last report that are to run elsewhere: they are left alone. */
  strangers: ReadonlySet<string> = new Set()
  /** Stops and removals of what is otherwise unknown here, and since which version. */
  readonly #stops = new Map<string, { order: StopOrder; since: number }>()
  readonly #removals = new Map<string, { order: NameOrder; since: number }>()
  #namespaces: string[] | null = null
  /** Where its gateway is reached, as it says itself. */
  url: string | null = null

  constructor(options: RemoteListenerOptions) {
    this.id = options.id
    this.#options = options
    this.#version = new OrdersVersion(options.term)
    this.#presence = new Presence(options)
  }

  get away(): string | undefined {
    return this.#presence.away
  }

  renew(): number {
    return this.#version.renew()
  }

  /** Goes on in the background until the listener has done it. */
  stopLater(order: Omit<StopOrder, 'kind'>): void {
    this.#stops.set(order.revision_id, { order: { kind: 'stop', ...order }, since: this.renew() })
  }

  /** The same for a revision that is unknown here and runs there. */
  stopUnknown(order: Omit<StopOrder, 'kind'>): void {
    if (this.#stops.size < MOST_UNKNOWN) this.stopLater(order)
  }

  /** The revision is wanted again. */
  keep(revision_id: string): void {
    this.#stops.delete(revision_id)
  }

  isToStop(revision_id: string): boolean {
    return this.#stops.has(revision_id)
  }

  removeLater(order: Omit<NameOrder & { kind: 'remove' }, 'kind'>): void {
    this.#removals.set(order.name, { order: { kind: 'remove', ...order }, since: this.renew() })
  }

  keepName(name: string): void {
    this.#removals.delete(name)
  }

  /**
   * Handles one exchange: `note` gets the report with the number of the listener's version, unless a later one came
   * before it. Throws `conflict` for a session that another one has replaced.
   */
  async exchange(
    report: ListenerReport,
    namespaces: string[] | null,
    { note, signal }: { note: (version: number) => void; signal: AbortSignal },
  ): Promise<ListenerOrders> {
    this.#sessions.join(report.session)
    this.#setNamespaces(namespaces)
    this.#presence.note()
    if (this.#sessions.isNext(report.sequence)) {
      // A listener that has just begun does not know it yet.
      this.url = report.url ?? this.url
      const version = this.#version.numberOf(report.version)
      note(version)
      this.#forget(report, version)
    }
    // The listener sends lines without an answer again.
    const isNothingNew = report.version === this.#version.text && report.logs.length === 0
    if (isNothingNew) await this.#version.changed(signal)
    this.#presence.note()
    return this.#orders()
  }

  /** Answers the open exchange. */
  stop(): void {
    this.#presence.stop()
    this.#version.stop()
  }

  #setNamespaces(namespaces: string[] | null): void {
    if (JSON.stringify(namespaces) === JSON.stringify(this.#namespaces)) return
    this.#namespaces = namespaces
    this.renew()
  }

  #orders(): ListenerOrders {
    const { revisions, names } = this.#options.collect()
    const named = new Set(revisions.map(({ revision_id }) => revision_id))
    const stops: RevisionOrder[] = [...this.#stops.values()]
      .map(({ order }) => order)
      .filter(({ revision_id }) => !named.has(revision_id))
    return {
      version: this.#version.text,
      revisions: [...revisions, ...stops],
      names: [...names, ...[...this.#removals.values()].map(({ order }) => order)],
      drain_ms: this.#options.drainMs,
      k8s_namespaces: this.#namespaces,
    }
  }

  /** An order is done when the listener no longer reports its revision or name. */
  #forget({ revisions, names }: ListenerReport, version: number): void {
    const there = new Set(revisions.map(({ revision_id }) => revision_id))
    for (const [id, { since }] of this.#stops) {
      if (version >= since && !there.has(id)) this.#stops.delete(id)
    }
    const named = new Set(names.map(({ name }) => name))
    for (const [name, { since }] of this.#removals) {
      if (version >= since && !named.has(name)) this.#removals.delete(name)
    }
  }
}

/** The processes of the listener: a later one replaces an earlier one. */
class Sessions {
  readonly #earlier = new Set<string>()
  #session = ''
  #sequence = -1

  /** Throws `conflict` for a session that another one has replaced. */
  join(session: string): void {
    if (session === this.#session) return
    if (this.#earlier.has(session)) {
      throw new AppError(
        'conflict',
        'Another process has taken over as this listener. Run one for each listener, with a key of its own.',
      )
    }
    if (this.#session !== '') this.#earlier.add(this.#session)
    const [oldest] = this.#earlier
    if (this.#earlier.size > MOST_SESSIONS && oldest) this.#earlier.delete(oldest)
    this.#session = session
    this.#sequence = -1
  }

  /** Whether no later report of the session came before. */
  isNext(sequence: number): boolean {
    if (sequence <= this.#sequence) return false
    this.#sequence = sequence
    return true
  }
}

/** The version of the orders, and the exchange that waits for the next one. */
class OrdersVersion {
  readonly #term: string
  readonly #changes = new EventEmitter()
  readonly #stopping = new AbortController()
  #number = 1

  constructor(term: string) {
    this.#term = term
  }

  get text(): string {
    return `${this.#term}:${this.#number}`
  }

  /** 0: it is a version of another control plane, or none. */
  numberOf(version: string | null): number {
    const [term, number] = version?.split(':') ?? []
    return term === this.#term ? Number(number) || 0 : 0
  }

  renew(): number {
    this.#number += 1
    // Once for all that changes in this turn.
    setImmediate(() => this.#changes.emit('change'))
    return this.#number
  }

  /** Resolves after a change, after `EXCHANGE_WAIT_MS`, and when another exchange waits. */
  async changed(signal: AbortSignal): Promise<void> {
    this.#changes.emit('change')
    const limit = AbortSignal.timeout(EXCHANGE_WAIT_MS)
    const over = AbortSignal.any([signal, limit, this.#stopping.signal])
    await once(this.#changes, 'change', { signal: over }).catch(() => {})
  }

  stop(): void {
    this.#stopping.abort()
  }
}

/** Whether the listener has been heard from within `LISTENER_AWAY_MS`. Watches from its creation until `stop`. */
class Presence {
  readonly #options: Pick<RemoteListenerOptions, 'id' | 'onAway'>
  #away: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: Pick<RemoteListenerOptions, 'id' | 'onAway'>) {
    this.#options = options
    this.#watch('yet')
  }

  /** A sentence; `undefined`: it is not away. */
  get away(): string | undefined {
    return this.#away
  }

  note(): void {
    this.#away = undefined
    this.#watch(`since ${new Date().toISOString()}`)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #watch(since: string): void {
    clearTimeout(this.#timer)
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#away =
        `The listener ${this.#options.id} is away: it has not been heard from ${since}. ` +
        'What it runs goes on; look whether `runyard listener` runs there and reaches the control plane.'
      this.#options.onAway()
    }, LISTENER_AWAY_MS)
    this.#timer.unref()
  }
}
