/** One revision at a listener: carries out its orders one after the other, and remembers what to report. */
import type {
  Errand,
  ErrandDone,
  ListenerOrders,
  ReportedRevision,
  ReportedState,
  RunOrder,
  ScaleOrder,
} from '../core/deployment/listener-protocol.ts'
import type { Endpoint, RuntimeDriver, RuntimeState } from '../core/deployment/runtime.ts'
import type { TargetTable } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'

interface LocalRevisionOptions {
  revision_id: string
  deployment_id: string
  driver: RuntimeDriver
  targets: Pick<TargetTable, 'drain'>
  onChange: () => void
  log: Log
}

/** How long an agent server may take to end when one of the same id replaces it, in ms. */
const REPLACE_GRACE_MS = 10_000
/** How many states may wait to be reported; then the oldest are left out. */
const MOST_STATES = 20
/** How long a reason, and an answer as JSON, may be: the control plane refuses reports that are too large. */
const MOST_REASON_CHARS = 16_000
const HEAD_CHARS = 4_000
const MOST_ANSWER_CHARS = 1_000_000

/** Counts the states of all revisions: later ones have higher numbers. */
let latest = 0

export class LocalRevision {
  readonly deployment_id: string
  readonly #options: LocalRevisionOptions
  #incarnation: string | null = null
  /** Orders that take long wait for each other. */
  #work: Promise<unknown> = Promise.resolve()
  #states: ReportedState[] = []
  /** Why the revision is not started at all. */
  #refusal: string | undefined
  #isStopping = false
  readonly #begun = new Set<string>()
  #done: ErrandDone[] = []
  #scale: { id: string; mayEnd: PromiseWithResolvers<void> } | undefined

  constructor(options: LocalRevisionOptions) {
    this.#options = options
    this.deployment_id = options.deployment_id
  }

  get state(): RuntimeState {
    if (this.#refusal !== undefined) return { kind: 'failed', reason: this.#refusal }
    return this.#options.driver.observe(this.#options.revision_id)
  }

  /** Records the current state for the next report. */
  note(): void {
    latest += 1
    this.#states.push({ number: latest, state: told(this.state) })
    if (this.#states.length > MOST_STATES) this.#states.shift()
  }

  run(order: RunOrder, orders: Pick<ListenerOrders, 'drain_ms' | 'k8s_namespaces'>): void {
    if (order.incarnation !== this.#incarnation) this.#begin(order, orders.k8s_namespaces)
    if (order.scale) this.#scaleTo(order.scale, orders.drain_ms)
    // A new leading control plane does not know what the one before waited for.
    else this.#scale?.mayEnd.resolve()
    const wanted = new Set(order.errands.map(({ id }) => id))
    this.#done = this.#done.filter(({ id }) => wanted.has(id))
    for (const id of this.#begun) if (!wanted.has(id)) this.#begun.delete(id)
    for (const errand of order.errands) {
      if (!this.#begun.has(errand.id)) this.#run(errand)
    }
  }

  /** Returns whether nothing is left of it; `false`: it was started again meanwhile, or another call returns it. */
  async stop(graceMs: number): Promise<boolean> {
    if (this.#isStopping) return false
    this.#isStopping = true
    this.#incarnation = null
    await this.#next(() => this.#options.driver.stop(this.#options.revision_id, graceMs))
    const isGone = this.#isStopping
    this.#isStopping = false
    return isGone && this.#options.driver.observe(this.#options.revision_id).kind === 'absent'
  }

  report(): ReportedRevision {
    const { revision_id, deployment_id, driver } = this.#options
    if (this.#states.length === 0) this.note()
    const which = { revision_id, deployment_id, incarnation: this.#incarnation }
    const replicas = driver
      .replicas(revision_id)
      .map((one) => ({ ...one, reason: one.reason && shortened(one.reason) }))
    return { ...which, states: [...this.#states], replicas, done: [...this.#done] }
  }

  acknowledge(number: number): void {
    const known = this.#states.filter((state) => state.number > number)
    this.#states = known.length > 0 ? known : this.#states.slice(-1)
  }

  #begin({ incarnation, start, revision_id }: RunOrder, namespaces: string[] | null): void {
    const isAnother = this.#incarnation !== null
    this.#incarnation = incarnation
    this.#isStopping = false
    if (!start) return
    const { k8s_namespace: namespace } = start.spec
    this.#refusal = namespace === undefined ? undefined : refusalOf(namespace, namespaces)
    if (this.#refusal !== undefined) {
      this.note()
      this.#options.onChange()
      return
    }
    this.#next(async () => {
      const { driver } = this.#options
      if (isAnother) await driver.stop(revision_id, REPLACE_GRACE_MS)
      await driver.start(start.spec)
      this.note()
    })
  }

  #scaleTo({ id, replicas, may_end }: ScaleOrder, drainMs: number): void {
    if (this.#scale?.id !== id) {
      this.#scale?.mayEnd.resolve()
      const mayEnd = Promise.withResolvers<void>()
      this.#scale = { id, mayEnd }
      const { driver, targets, revision_id } = { ...this.#options }
      const retire = async (endpoint: Endpoint | undefined) => {
        const drained = endpoint && targets.drain({ revision_id, url: endpoint.url }, drainMs)
        await Promise.all([mayEnd.promise, drained])
      }
      this.#next(async () => driver.scale(revision_id, replicas, retire))
    }
    if (may_end) this.#scale?.mayEnd.resolve()
  }

  #run(errand: Errand): void {
    this.#begun.add(errand.id)
    const finish = (value?: unknown) => {
      if (!this.#begun.has(errand.id)) return
      const length = JSON.stringify(value)?.length ?? 0
      const isTold = length > 0 && length <= MOST_ANSWER_CHARS
      this.#done.push({ id: errand.id, ...(isTold && { value }) })
      this.#options.onChange()
    }
    this.#work
      .then(() => this.#answer(errand))
      .then(finish, (error: unknown) => {
        this.#complain(error)
        finish()
      })
  }

  #answer(errand: Errand): Promise<unknown> {
    const { driver, targets, revision_id } = this.#options
    switch (errand.kind) {
      case 'inspect':
        return driver.inspect(revision_id)
      case 'readings':
        return driver.readings(revision_id)
      case 'activate':
        return driver.activate(revision_id)
      case 'drain':
        return driver.drain(revision_id, errand.limits)
      case 'drain_requests': {
        const { url, limit_ms, grace_ms } = errand
        const what = { revision_id, ...(url !== undefined && { url }) }
        return targets.drain(what, limit_ms, grace_ms)
      }
    }
  }

  #next(work: () => Promise<unknown>): Promise<unknown> {
    const next = this.#work.then(work).catch((error: unknown) => this.#complain(error))
    this.#work = next
    return next
  }

  #complain(error: unknown): void {
    const { revision_id, log } = this.#options
    log.warn({ err: error, revision_id }, 'an order could not be carried out')
  }
}

/** Without tokens: only this gateway calls the endpoints. */
function told(state: RuntimeState): RuntimeState {
  if (state.kind === 'healthy') {
    const [first, ...others] = state.endpoints
    return { ...state, endpoints: [bare(first), ...others.map(bare)] }
  }
  if (!('reason' in state) || state.reason === undefined) return state
  return { ...state, reason: shortened(state.reason) }
}

/** The beginning and the end, where the cause usually is; whole lines, since they are searched for secrets. */
function shortened(reason: string): string {
  if (reason.length <= MOST_REASON_CHARS) return reason
  const head = reason.slice(0, Math.max(0, reason.lastIndexOf('\n', HEAD_CHARS)))
  const from = reason.indexOf('\n', reason.length - (MOST_REASON_CHARS - HEAD_CHARS))
  return `${head}\n…${from < 0 ? '' : reason.slice(from)}`
}

function bare(endpoint: Endpoint): Endpoint {
  return { ...endpoint, token: '' }
}

function refusalOf(namespace: string, allowed: string[] | null): string | undefined {
  if (allowed === null || allowed.includes(namespace)) return undefined
  return (
    `source_config.listener_config.k8s_namespace ${namespace} is not one of this listener’s: ` +
    `${allowed.join(', ') || 'it has none'}. Add it to the listener’s compute_config.k8s_namespaces, ` +
    'or create the deployment with another one.'
  )
}
