/** A control plane's side of a listener and the listener itself, without HTTP between them: only JSON passes. */
import type {
  Hub,
  ListenerOrders,
  ListenerReport,
  ReportedLog,
} from '../../../src/core/deployment/listener-protocol.ts'
import type { Endpoint, RuntimeDriver, RuntimeState } from '../../../src/core/deployment/runtime.ts'
import { AppError } from '../../../src/core/errors.ts'
import { silentLog } from '../../../src/core/log.ts'
import { HostNames } from '../../../src/gateway/route.ts'
import { Targets } from '../../../src/gateway/target-table.ts'
import { createHub } from '../../../src/listener/hub.ts'
import { Listener } from '../../../src/listener/listener.ts'
import { FakeRuntimeDriver } from './fake-runtime-driver.ts'

export const LISTENER_ID = '5f0c6a52-38b5-4b3e-9d0a-4a3c1a0d7e11'

export class ListenerWorld {
  hub: Hub
  listener: Listener
  /** The listener's gateway, and the one of the control plane. */
  readonly targets = new Targets()
  readonly ownTargets = new Targets()
  /** The hosts at whose root the listener's gateway answers. */
  readonly hosts = new HostNames()
  /** What the listener's driver is. */
  readonly local: RuntimeDriver
  /** While `true` no exchange gets through. */
  isCut = false
  readonly refusals: AppError[] = []
  /** Data keys that the listener received, by deployment. */
  readonly dataKeys = new Map<string, string>()
  /** What agent servers print and nobody has acknowledged yet, and what came to the control plane. */
  printed: ReportedLog[] = []
  readonly logged: string[] = []
  /** Revisions that the record does not have, and those of deployments that run elsewhere. */
  readonly unknown = new Set<string>()
  readonly foreign = new Set<string>()
  namespaces: string[] | null = null
  #remembered: Record<string, string> = {}
  #telling: ReportedLog[] = []

  constructor(local: RuntimeDriver) {
    this.local = local
    this.hub = this.#createHub()
    this.listener = this.#createListener()
  }

  start(): Promise<void> {
    return this.listener.start()
  }

  /** Another control plane leads, which knows nothing yet. */
  async replaceHub(): Promise<void> {
    await this.hub.driver.leave(0)
    this.hub = this.#createHub()
  }

  /** The listener's process is another one; what runs goes on. */
  async replaceListener(): Promise<void> {
    await this.listener.stop()
    this.targets.clear()
    this.listener = this.#createListener()
    void this.listener.start()
  }

  async close(): Promise<void> {
    await this.listener.stop()
    await this.hub.driver.leave(0)
  }

  #createHub(): Hub {
    return createHub({
      driver: new FakeRuntimeDriver(),
      targets: this.ownTargets,
      homeKey: async (deployment_id) => `key of ${deployment_id}`,
      dataKey: (deployment_id) => `data key of ${deployment_id}`,
      placeOf: async (_, { revision_id }) => {
        if (this.foreign.has(revision_id)) return 'elsewhere'
        return this.unknown.has(revision_id) ? 'nowhere' : 'there'
      },
      appendLog: (_, text) => this.logged.push(text),
      drainMs: 1000,
      log: silentLog,
    })
  }

  #createListener(): Listener {
    return new Listener({
      driver: this.local,
      targets: this.targets,
      hosts: this.hosts,
      exchange: (report, signal) => this.#exchange(report, signal),
      url: () => 'https://agents.example.com',
      logs: {
        read: (ids) => {
          this.#telling = this.printed.filter(({ revision_id }) => ids.includes(revision_id))
          return this.#telling
        },
        hasNew: () => this.printed.length > 0,
        acknowledge: () => {
          this.printed = this.printed.filter((one) => !this.#telling.includes(one))
        },
      },
      remembered: {
        load: () => this.#remembered,
        save: (deployments) => {
          this.#remembered = deployments
        },
      },
      setHomeKey: () => {},
      setDataKey: (deployment_id, key) => this.dataKeys.set(deployment_id, key),
      runyard: '0.0.0',
      onRefused: (refusal) => this.refusals.push(refusal),
      log: silentLog,
    })
  }

  async #exchange(report: ListenerReport, signal: AbortSignal): Promise<ListenerOrders> {
    if (this.isCut) throw new AppError('unavailable', 'The connection is cut.')
    const { namespaces, hub } = this
    const who = { id: LISTENER_ID, compute_config: { k8s_namespaces: namespaces } }
    const sent = JSON.parse(JSON.stringify(report)) as ListenerReport
    const orders = await hub.exchange(who, sent, signal)
    signal.throwIfAborted()
    return JSON.parse(JSON.stringify(orders)) as ListenerOrders
  }
}

/** The driver as the control plane sees it, with the tokens that it is never told put back by address. */
export function withTokens(remote: () => RuntimeDriver, local: RuntimeDriver): RuntimeDriver {
  const tokens = new Map<string, string>()
  const learn = (revision_id: string) => {
    const state = local.observe(revision_id)
    if (state.kind === 'healthy')
      for (const { url, token } of state.endpoints) tokens.set(url, token)
  }
  const whole = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    token: tokens.get(endpoint.url) ?? '',
  })
  const observe = (revision_id: string): RuntimeState => {
    learn(revision_id)
    const state = remote().observe(revision_id)
    if (state.kind !== 'healthy') return state
    const [first, ...others] = state.endpoints
    return { kind: 'healthy', endpoints: [whole(first), ...others.map(whole)] }
  }
  return {
    start: (spec) => remote().start({ ...spec, listener_id: LISTENER_ID }),
    observe,
    revisionsOf: (id) => remote().revisionsOf(id),
    replicas: (id) => remote().replicas(id),
    readings: (id) => remote().readings(id),
    takeLastReadings: (id) => remote().takeLastReadings(id),
    inspect: (id) => remote().inspect(id),
    activate: (id) => remote().activate(id),
    scale: (id, count, retire) =>
      remote().scale(id, count, (endpoint) => retire(endpoint && whole(endpoint))),
    drain: (id, limits) => remote().drain(id, limits),
    stop: (id, graceMs) => remote().stop(id, graceMs),
    onChange: (listener) => remote().onChange(listener),
    stopAll: (graceMs) => remote().stopAll(graceMs),
    leave: (graceMs) => remote().leave(graceMs),
  }
}
