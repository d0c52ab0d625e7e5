/**
 * What a listener and the control plane that leads say to each other: one exchange after the other, each a
 * report and its answer. The answer is all that the listener is to do, not a difference, so that a lost one
 * harms nothing; it comes when it is another one than the listener has, at once where the report tells lines of
 * logs, and else after `EXCHANGE_WAIT_MS`.
 *
 * ```
 * listener                                 control plane
 *   ── report, with the version it has ──▶  notes it; waits while there is nothing new
 *   ◀─────────────────────────── orders ──  all of them, under their version
 *   (something changes here: it breaks the exchange off, and begins the next with its report)
 * ```
 * What the orders do not name is left as it is. A control plane that has just begun to lead names little;
 * only `stop` and `remove` take anything away.
 */

import type { Listener } from './listener.ts'
import type { DrainLimits, Replica, RuntimeDriver, RuntimeSpec, RuntimeState } from './runtime.ts'
import type { Home } from './runtime-protocol.ts'
import type { TargetTable } from './target.ts'

/** How long a report waits for new orders, in ms. */
export const EXCHANGE_WAIT_MS = 25_000

/** A state that a revision came to, numbered within the session. Tokens of endpoints are left out. */
export interface ReportedState {
  number: number
  state: RuntimeState
}

export interface ReportedRevision {
  revision_id: string
  deployment_id: string
  /** Of the order that started it; `null`: it was there before this listener process, and no order named it yet. */
  incarnation: string | null
  /** Those that no answered report had, the latest one last; never empty. */
  states: ReportedState[]
  replicas: Replica[]
  /** Which `Errand`s are done, and with what. */
  done: ErrandDone[]
}

export interface ErrandDone {
  id: string
  /** What the driver answered; absent: nothing. */
  value?: unknown
}

/** A name of the listener's own gateway. */
export interface ReportedName {
  name: string
  deployment_id: string
  /** It sleeps, and a request has come that may wake it. */
  is_wanted: boolean
  open: number
  /** By the listener's clock: only that it is another one says anything. */
  last_at: number
}

/** Lines that agent servers have printed, with their times, whole. */
export interface ReportedLog {
  revision_id: string
  text: string
}

export interface ListenerReport {
  /** Of this listener process. The control plane listens to the latest that has come. */
  session: string
  /** Counts the session's reports. One that comes after a later one is no report any more. */
  sequence: number
  /** Of the orders that it has carried out or begun; `null`: it has none yet. */
  version: string | null
  /** Where its gateway is reached, without a slash at the end; `null`: nobody has said. */
  url: string | null
  /** Which Runyard it is. */
  runyard: string
  revisions: ReportedRevision[]
  names: ReportedName[]
  logs: ReportedLog[]
}

/** Something to be done once with a revision, whose end is told. A second time does no harm. */
export type Errand =
  | { id: string; kind: 'inspect' }
  | { id: string; kind: 'readings' }
  | { id: string; kind: 'activate' }
  | { id: string; kind: 'drain'; limits: DrainLimits }
  /** Requests of the listener's gateway to the revision; with `url`, to that one of its agent servers. */
  | { id: string; kind: 'drain_requests'; url?: string; limit_ms: number; grace_ms?: number }

/** So many agent servers; of those too many none ends before `may_end`. */
export interface ScaleOrder {
  id: string
  replicas: number
  may_end: boolean
}

interface RunStart {
  spec: RuntimeSpec
  home_key: Home['key'] | null
  /** As `StartMessage.dataKey`; absent where the control plane is older. */
  data_key?: string
}

export interface RunOrder {
  kind: 'run'
  revision_id: string
  deployment_id: string
  /** Another one than that of what runs: it is to be started afresh. */
  incarnation: string
  /** What to start; absent: it runs there already, and is not to be started where it does not. */
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
  /** How its requests are let in (`Entrance`). Absent where the control plane is older: with a key, by its name alone. */
  is_public?: boolean
  hosts?: readonly string[]
}

/** Where the listener's gateway is to send the requests of a name. */
export type NameOrder =
  | (Named & { kind: 'serve'; revision_id: string })
  /** Nothing that serves and is well is taken away by it. */
  | (Named & { kind: 'hold'; limit_ms: number })
  | (Named & { kind: 'hold_asleep'; limit_ms: number; has_own_auth: boolean | null })
  | (Named & { kind: 'pause' })
  | (Named & { kind: 'remove' })

export interface ListenerOrders {
  version: string
  revisions: RevisionOrder[]
  names: NameOrder[]
  /** How long the gateway waits for open streams of agent servers that scaling takes away, in ms. */
  drain_ms: number
  /** The namespaces that agent servers may run in; `null`: any. */
  k8s_namespaces: string[] | null
}

/** One exchange. Throws `conflict` where another process has become this listener since. */
export type ListenerExchange = (
  listener: Pick<Listener, 'id' | 'compute_config'>,
  report: ListenerReport,
  signal: AbortSignal,
) => Promise<ListenerOrders>

/** What the control plane that leads runs deployments with, here and at listeners. */
export interface Hub {
  driver: RuntimeDriver
  targets: TargetTable
  exchange: ListenerExchange
}
