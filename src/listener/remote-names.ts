/** The names of listeners' gateways, steered like those of the gateway here. */
import type {
  ListenerReport,
  NameOrder,
  ReportedName,
} from '../core/deployment/listener-protocol.ts'
import type {
  Activity,
  Entrance,
  Hold,
  ReferringTable,
  Target,
  TargetOwner,
  TargetState,
  TargetTable,
} from '../core/deployment/target.ts'
import type { RemoteListener } from './remote-listener.ts'

interface RemoteName {
  listener: RemoteListener
  order: NameOrder
  /** Its state, for the code that steers it. */
  state: TargetState
  onRequest?: (() => void) | undefined
  reported?: ReportedName
  /** When the last request for it was reported, by the clock here; in ms since 1970. */
  askedAt: number
}

interface NamesOptions {
  /** The gateway here, which refers callers of such a name to its listener. */
  own: ReferringTable
  listenerOf(id: string): RemoteListener
  /** Resolves when no request to the revision is open any more; `undefined`: no listener has it. */
  drain(...what: Parameters<TargetTable['drain']>): Promise<void> | undefined
}

/** Passes names that no listener has to the gateway here. */
export class RemoteNames implements TargetTable {
  readonly #options: NamesOptions
  readonly #names = new Map<string, RemoteName>()

  constructor(options: NamesOptions) {
    this.#options = options
  }

  observe(name: string): TargetState {
    const remote = this.#names.get(name)
    if (!remote) return this.#options.own.observe(name)
    if (remote.state.kind !== 'asleep') return remote.state
    return { kind: 'asleep', isWanted: remote.reported?.is_wanted ?? false }
  }

  set(name: string, target: Target): void {
    const { listener_id, revision_id, endpoints } = target
    if (listener_id === undefined) this.#options.own.set(name, target)
    else {
      const order = { kind: 'serve', ...ownerIn(name, target), revision_id } as const
      this.#put(listener_id, order, { kind: 'serving', revision_id, endpoints })
    }
  }

  hold(name: string, hold: Hold): void {
    const { listener_id, limitMs: limit_ms, onRequest, hasOwnAuth } = hold
    const whose = ownerIn(name, hold)
    if (listener_id === undefined) this.#options.own.hold(name, hold)
    else if (onRequest) {
      const has_own_auth = hasOwnAuth ?? null
      const order = { kind: 'hold_asleep', ...whose, limit_ms, has_own_auth } as const
      this.#put(listener_id, order, { kind: 'asleep', isWanted: false }, onRequest)
    } else this.#put(listener_id, { kind: 'hold', ...whose, limit_ms }, { kind: 'held' })
  }

  pause(name: string, owner: TargetOwner): void {
    const { listener_id } = owner
    if (listener_id === undefined) this.#options.own.pause(name, owner)
    else this.#put(listener_id, { kind: 'pause', ...ownerIn(name, owner) }, { kind: 'paused' })
  }

  entrance(name: string): Entrance {
    return this.#options.own.entrance(name)
  }

  enter(name: string, entrance: Entrance): void {
    this.#options.own.enter(name, entrance)
    this.#names.get(name)?.listener.renew()
  }

  remove(name: string): void {
    const remote = this.#names.get(name)
    this.#names.delete(name)
    if (remote) {
      const { deployment_id, workspace_id } = remote.order
      remote.listener.removeLater({ name, deployment_id, workspace_id })
    }
    this.#options.own.remove(name)
  }

  async drain(...what: Parameters<TargetTable['drain']>): Promise<void> {
    await (this.#options.drain(...what) ?? this.#options.own.drain(...what))
  }

  activity(name: string): Activity {
    const remote = this.#names.get(name)
    if (!remote) return this.#options.own.activity(name)
    return { open: remote.reported?.open ?? 0, last_at: remote.askedAt }
  }

  /** The listener's orders. */
  ordersFor(listener: RemoteListener): NameOrder[] {
    return [...this.#names.values()].flatMap((one) =>
      one.listener === listener ? [{ ...one.order, ...this.#entranceOf(one.order) }] : [],
    )
  }

  note(listener: RemoteListener, { names }: ListenerReport): void {
    for (const reported of names) {
      const remote = this.#names.get(reported.name)
      if (remote?.listener !== listener) continue
      const wasWanted = remote.reported?.is_wanted
      // The listener's clock may differ.
      if (reported.last_at !== remote.reported?.last_at) remote.askedAt = Date.now()
      remote.reported = reported
      this.#refer(remote)
      if (reported.is_wanted && !wasWanted) remote.onRequest?.()
    }
  }

  #put(
    listener_id: string,
    order: NameOrder,
    state: TargetState,
    onRequest?: (() => void) | undefined,
  ): void {
    const { name } = order
    const listener = this.#options.listenerOf(listener_id)
    const before = this.#names.get(name)
    const { reported, askedAt = Date.now() } = before ?? {}
    const remote = { listener, order, state, onRequest, askedAt, ...(reported && { reported }) }
    this.#names.set(name, remote)
    listener.keepName(name)
    this.#refer(remote)
    if (JSON.stringify(order) !== JSON.stringify(before?.order)) listener.renew()
  }

  #entranceOf({ name }: NameOrder): Pick<NameOrder, 'is_public' | 'hosts'> {
    const { isPublic, hosts } = this.#options.own.entrance(name)
    return { is_public: isPublic, hosts }
  }

  #refer({ listener, order: { name, workspace_id } }: RemoteName): void {
    const url = listener.url === null ? null : `${listener.url}/agents/${name}`
    this.#options.own.refer(name, { workspace_id, url })
  }
}

function ownerIn(name: string, { deployment_id, workspace_id }: TargetOwner) {
  return { name, deployment_id, workspace_id }
}
