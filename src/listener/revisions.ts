/** Runs the revisions that the control plane orders: brings each to the state of its order. */
import type {
  ListenerOrders,
  ReportedRevision,
  RunOrder,
  StopOrder,
} from '../core/deployment/listener-protocol.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import type { TargetTable } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'
import { LocalRevision } from './revision.ts'

export interface RevisionsOptions {
  driver: RuntimeDriver
  /** The listener's own gateway. */
  targets: Pick<TargetTable, 'drain'>
  /** Stores the known revisions for the next process of the listener. */
  remembered: Remembered
  /** Stores the key with which a deployment's agents ask their control plane for tokens. */
  setHomeKey(deployment_id: string, key: string): void
  /** Stores the key with which a deployment's agent servers encrypt credentials. */
  setDataKey(deployment_id: string, key: string): void
  /** Called when there is something to report. */
  onChange: () => void
  log: Log
}

interface Remembered {
  /** The deployment of each revision that may still exist here. */
  load(): Record<string, string>
  save(deployments: Record<string, string>): void
}

export class Revisions {
  readonly #options: RevisionsOptions
  readonly #revisions = new Map<string, LocalRevision>()
  readonly #unsubscribe: () => void

  constructor(options: RevisionsOptions) {
    this.#options = options
    for (const [revision_id, deployment_id] of Object.entries(options.remembered.load())) {
      this.#add(revision_id, deployment_id)
    }
    this.#unsubscribe = options.driver.onChange((revision_id, deployment_id) => {
      const known = this.#revisions.get(revision_id)
      // The driver has found one that an earlier process started.
      if (!known && options.driver.observe(revision_id).kind === 'absent') return
      const revision = known ?? this.#add(revision_id, deployment_id)
      revision.note()
      options.onChange()
    })
  }

  stop(): void {
    this.#unsubscribe()
  }

  /** Begins all orders without waiting. Revisions that are not named stay as they are. */
  apply(orders: ListenerOrders): void {
    for (const order of orders.revisions) {
      if (order.kind === 'stop') this.#stop(order)
      else this.#run(order, orders)
    }
  }

  report(): ReportedRevision[] {
    return [...this.#revisions.values()].map((revision) => revision.report())
  }

  /** The report has arrived: its states need not be reported again. */
  acknowledge(reported: readonly ReportedRevision[]): void {
    for (const { revision_id, states } of reported) {
      this.#revisions.get(revision_id)?.acknowledge(states.at(-1)?.number ?? 0)
    }
  }

  #add(revision_id: string, deployment_id: string): LocalRevision {
    const { driver, targets, onChange, log } = this.#options
    const options = { revision_id, deployment_id, driver, targets, onChange, log }
    const revision = new LocalRevision(options)
    this.#revisions.set(revision_id, revision)
    this.#remember()
    return revision
  }

  #run(order: RunOrder, orders: ListenerOrders): void {
    const { revision_id, deployment_id, start } = order
    const revision = this.#revisions.get(revision_id) ?? this.#add(revision_id, deployment_id)
    if (start?.home_key) this.#options.setHomeKey(deployment_id, start.home_key)
    if (start?.data_key) this.#options.setDataKey(deployment_id, start.data_key)
    revision.run(order, orders)
  }

  #stop(order: StopOrder): void {
    const revision = this.#revisions.get(order.revision_id)
    void revision?.stop(order.grace_ms).then((isGone) => {
      if (!isGone || this.#revisions.get(order.revision_id) !== revision) return
      this.#revisions.delete(order.revision_id)
      this.#remember()
      this.#options.onChange()
    })
  }

  #remember(): void {
    const entries = [...this.#revisions].map(([id, { deployment_id }]) => [id, deployment_id])
    this.#options.remembered.save(Object.fromEntries(entries))
  }
}
