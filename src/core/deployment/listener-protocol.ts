/**
 * The protocol between a listener and the leading control plane: one exchange after the other, each a report and its
 * answer. The answer holds all orders, not a difference, so a lost one does no harm. It is sent when the orders have
 * changed, at once if the report contains log lines, and otherwise after `EXCHANGE_WAIT_MS`.
 *
 * ```
 * listener                                 control plane
 *   ── report, with the version it has ──▶  notes it; waits while there is nothing new
 *   ◀─────────────────────────── orders ──  all of them, under their version
 *   (something changes here: it breaks the exchange off, and begins the next with its report)
 * ```
 * The listener leaves everything alone that the orders do not name: a new leader names little. Only `stop` and `remove`
 * take anything away.
 */

import type { Listener } from './listener.ts'
import type { DrainLimits, Replica, RuntimeDriver, RuntimeSpec, RuntimeState } from './runtime.ts'

import type { TargetTable } from './target.ts'

/** How long a report waits for new orders, in ms. */
export const EXCHANGE_WAIT_MS = 25_000

/** A state that a revision reached, numbered within the session. Tokens of endpoints are left out. */
export interface ReportedState {
  number: number
  state: RuntimeState
}

export interface ReportedRevision {
  revision_id: string
  deployment_id: string
  /**
   * From the order that started it; `null`: it was running before this listener process, and no order has named it yet.
   */
  incarnation: string | null
  /** The states that no answered report contained, the latest last; never empty. */
  states: ReportedState[]
  replicas: Replica[]
  /** The finished `Errand`s and their results. */
  done: ErrandDone[]
}

export interface ErrandDone {
  id: string
  /** What the driver returned; absent: nothing. */
  value?: unknown
}

/** A name of the listener's own gateway. */
export interface ReportedName {
  name: string
  deployment_id: string
  /** It sleeps, and a request has arrived that may wake it. */
  is_wanted: boolean
  open: number
  /** By the listener's clock: only a change means something. */
  last_at: number
}

/** Whole lines of the agent servers' output, with their times. */
export interface ReportedLog {
  revision_id: string
  text: string
}

export interface ListenerReport {
  /** The id of this listener process. The control plane accepts only the latest session. */
  session: string
  /** Counts the session's reports. A report that arrives after a later one is ignored. */
  sequence: number
  /** The version of the orders that it follows; `null`: it has none yet. */
  version: string | null
  /** The URL of its gateway, without a slash at the end; `null`: unknown. */
  url: string | null
  /** Its Runyard version. */
  runyard: string
  revisions: ReportedRevision[]
  names: ReportedName[]
  logs: ReportedLog[]
}

/** A task to do once with a revision, whose end is reported. Repeating it does no harm. */
export type Errand =
  | { id: string; kind: 'inspect' }
  | { id: string; kind: 'readings' }
  | { id: string; kind: 'activate' }
  | { id: string; kind: 'drain'; limits: DrainLimits }
  /** Drains the listener's gateway of requests to the revision; with `url`, to this agent server only. */
  | { id: string; kind: 'drain_requests'; url?: string; limit_ms: number; grace_ms?: number }

/** The number of agent servers. Surplus ones do not end before `may_end`. */
export interface ScaleOrder {
  id: string
  replicas: number
  may_end: boolean
}

interface RunStart {
  spec: RuntimeSpec
  /** As `Home.key`; `null`: it has no control plane. */
  home_key: string | null
  /** As `StartMessage.dataKey`; absent from older control planes. */
  data_key?: string
}

export interface RunOrder {
  kind: 'run'
  revision_id: string
  deployment_id: string
  /** If it differs from the running revision's, the revision is restarted. */
  incarnation: string
  /** What to start; absent: the revision runs already, and must not be started if it does not. */
  start?: RunStart
  scale?: ScaleOrder
  errands: Errand[]
}

export interface StopOrder {
  kind: 'stop'
  revision_id: string
  deployment_id: string
  grace_ms: number
}

export type RevisionOrder = RunOrder | StopOrder

interface Named {
  name: string
  deployment_id: string
  workspace_id: string
  /** The `Entrance` of its requests. Absent from older control planes: with a key, by its name alone. */
  is_public?: boolean
  hosts?: readonly string[]
}

/** Where the listener's gateway sends the requests of a name. */
export type NameOrder =
  | (Named & { kind: 'serve'; revision_id: string })
  /** Does not replace a healthy target. */
  | (Named & { kind: 'hold'; limit_ms: number })
  | (Named & { kind: 'hold_asleep'; limit_ms: number; has_own_auth: boolean | null })
  | (Named & { kind: 'pause' })
  | (Named & { kind: 'remove' })

export interface ListenerOrders {
  version: string
  revisions: RevisionOrder[]
  names: NameOrder[]
  /** How long the gateway waits for open streams when scaling removes agent servers, in ms. */
  drain_ms: number
  /** The namespaces that agent servers may run in; `null`: any. */
  k8s_namespaces: string[] | null
}

/** One exchange. Throws `conflict` if another process has become this listener. */
export type ListenerExchange = (
  listener: Pick<Listener, 'id' | 'compute_config'>,
  report: ListenerReport,
  signal: AbortSignal,
) => Promise<ListenerOrders>

/** The parts with which the leading control plane runs deployments, here and at listeners. */
export interface Hub {
  driver: RuntimeDriver
  targets: TargetTable
  exchange: ListenerExchange
}
