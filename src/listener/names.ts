/** The names that a listener's gateway serves. The listener itself knows where a revision's agent servers are. */
import type { NameOrder, ReportedName } from '../core/deployment/listener-protocol.ts'
import type { RuntimeState } from '../core/deployment/runtime.ts'
import type { HostTable, TargetTable } from '../core/deployment/target.ts'

/** How long a request waits for an agent server that is started again, in ms. */
const RESTART_WAIT_MS = 15_000

interface NamesOptions {
  targets: TargetTable
  /** The deployments' own hosts at this gateway. */
  hosts: HostTable
  state(revision_id: string): RuntimeState
  /** Called when there is something to report. */
  onChange: () => void
}

type Serve = NameOrder & { kind: 'serve' }

export class Names {
  readonly #options: NamesOptions
  /** The last order for each name. */
  readonly #orders = new Map<string, NameOrder>()
  /** The deployment of each host. */
  readonly #hosts = new Map<string, string>()

  constructor(options: NamesOptions) {
    this.#options = options
  }

  apply(orders: readonly NameOrder[]): void {
    for (const order of orders) this.#enter(order)
    this.#options.hosts.replace(new Map(this.#hosts))
    for (const order of orders) {
      if (JSON.stringify(this.#orders.get(order.name)) === JSON.stringify(order)) continue
      this.#apply(order)
    }
  }

  /** Updates the revision's names after a change of its state. */
  follow(revision_id: string): void {
    for (const order of this.#orders.values()) {
      if (order.kind === 'serve' && order.revision_id === revision_id) this.#serve(order)
    }
  }

  report(): ReportedName[] {
    const { targets } = this.#options
    return [...this.#orders.values()].map(({ name, deployment_id }) => {
      const state = targets.observe(name)
      const is_wanted = state.kind === 'asleep' && state.isWanted
      return { name, deployment_id, is_wanted, ...targets.activity(name) }
    })
  }

  /** Updates access and hosts, not the target: a hold keeps the target, but may change who is let in. */
  #enter({ kind, name, is_public = false, hosts = [] }: NameOrder): void {
    for (const [host, whose] of this.#hosts) if (whose === name) this.#hosts.delete(host)
    if (kind === 'remove') return
    this.#options.targets.enter(name, { isPublic: is_public, hosts })
    for (const host of hosts) this.#hosts.set(host, name)
  }

  #apply(order: NameOrder): void {
    const { targets, onChange } = this.#options
    const { kind, name, deployment_id, workspace_id } = order
    const whose = { deployment_id, workspace_id }
    if (kind === 'hold' && this.#isServing(order)) return
    this.#orders.set(name, order)
    switch (kind) {
      case 'serve':
        this.#serve(order)
        break
      case 'hold':
        targets.hold(name, { ...whose, limitMs: order.limit_ms })
        break
      case 'hold_asleep': {
        const { limit_ms: limitMs, has_own_auth } = order
        const auth = has_own_auth !== null && { hasOwnAuth: has_own_auth }
        targets.hold(name, { ...whose, limitMs, onRequest: onChange, ...auth })
        break
      }
      case 'pause':
        targets.pause(name, whose)
        break
      case 'remove':
        this.#orders.delete(name)
        targets.remove(name)
    }
  }

  /** A new leading control plane does not know yet whether the deployment is healthy. */
  #isServing({ name, deployment_id }: NameOrder): boolean {
    const last = this.#orders.get(name)
    if (last?.kind !== 'serve' || last.deployment_id !== deployment_id) return false
    return this.#options.state(last.revision_id).kind === 'healthy'
  }

  #serve({ name, deployment_id, workspace_id, revision_id }: Serve): void {
    const { targets, state } = this.#options
    const whose = { deployment_id, workspace_id }
    const now = state(revision_id)
    if (now.kind === 'healthy') {
      targets.set(name, { ...whose, revision_id, endpoints: now.endpoints })
    } else if (targets.observe(name).kind !== 'held') {
      targets.hold(name, { ...whose, limitMs: RESTART_WAIT_MS })
    }
  }
}
