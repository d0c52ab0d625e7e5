/** A listener as the leading control plane sees it: its session, and its orders. */
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
import type { ListenerState } from './remote-revision.ts'

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
  readonly #earlierSessions = new Set<string>()
  /** Revisions of its last report that are to run elsewhere: they are left alone. */
  strangers: ReadonlySet<string> = new Set()
  /** Stops and removals of what is otherwise unknown here, and since which version. */
  readonly #stops = new Map<string, { order: StopOrder; since: number }>()
  readonly #removals = new Map<string, { order: NameOrder; since: number }>()
  #session = ''
  #sequence = -1
  #version = 1
  #namespaces: string[] | null = null
  /** Where its gateway is reached, as it says itself. */
  url: string | null = null
  #away: string | undefined
  #timer: NodeJS.Timeout | undefined
  #heardAt: number | undefined
  /** Ends the wait of the open exchange. */
  #wake: (() => void) | undefined
  #isClosed = false

  constructor(options: RemoteListenerOptions) {
    this.id = options.id
    this.#options = options
    this.#watch()
  }

  get away(): string | undefined {
    return this.#away
  }

  get session(): string {
    return this.#session
  }

  renew(): number {
    this.#version += 1
    // Once for all that changes in this turn.
    setImmediate(() => this.#wake?.())
    return this.#version
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
    this.#join(report.session)
    this.#setNamespaces(namespaces)
    this.#heard()
    if (report.sequence > this.#sequence) {
      this.#sequence = report.sequence
      // A listener that has just begun does not know it yet.
      this.url = report.url ?? this.url
      const version = this.#numberOf(report.version)
      note(version)
      this.#forget(report, version)
    }
    // The listener sends lines without an answer again.
    const isNothingNew = report.version === this.#versionText && report.logs.length === 0
    if (isNothingNew && !this.#isClosed) await this.#changed(signal)
    this.#heard()
    return this.#orders()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#wake?.()
  }

  #join(session: string): void {
    if (session === this.#session) return
    if (this.#earlierSessions.has(session)) {
      throw new AppError(
        'conflict',
        'Another process has taken over as this listener. Run one for each listener, with a key of its own.',
      )
    }
    if (this.#session !== '') this.#earlierSessions.add(this.#session)
    const [oldest] = this.#earlierSessions
    if (this.#earlierSessions.size > MOST_SESSIONS && oldest) this.#earlierSessions.delete(oldest)
    this.#session = session
    this.#sequence = -1
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
      version: this.#versionText,
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

  get #versionText(): string {
    return `${this.#options.term}:${this.#version}`
  }

  /** 0: the listener has no version of this control plane. */
  #numberOf(version: string | null): number {
    const [term, number] = version?.split(':') ?? []
    return term === this.#options.term ? Number(number) || 0 : 0
  }

  #changed(signal: AbortSignal): Promise<void> {
    this.#wake?.()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        if (this.#wake === end) this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(end, EXCHANGE_WAIT_MS)
      this.#wake = end
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
  }

  #heard(): void {
    this.#heardAt = Date.now()
    this.#away = undefined
    this.#watch()
  }

  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      const since =
        this.#heardAt === undefined ? 'yet' : `since ${new Date(this.#heardAt).toISOString()}`
      this.#away =
        `The listener ${this.id} is away: it has not been heard from ${since}. ` +
        'What it runs goes on; look whether `runyard listener` runs there and reaches the control plane.'
      this.#options.onAway()
    }, LISTENER_AWAY_MS)
    this.#timer.unref()
  }
}
