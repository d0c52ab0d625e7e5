/** A second `RuntimeDriver`, in memory: its agent servers become healthy when the test says so. */
import type { ParkedThreads } from '../../../src/core/agent/parked-threads.ts'
import type { ArtifactKind } from '../../../src/core/deployment/artifacts/artifact.ts'
import type {
  DrainLimits,
  Load,
  Replica,
  RuntimeDriver,
  RuntimeSpec,
  RuntimeState,
} from '../../../src/core/deployment/runtime.ts'
import type { ServerReading } from '../../../src/core/figures/reading.ts'

export class FakeRuntimeDriver implements RuntimeDriver {
  /** Whether what is started is healthy at once. */
  isHealthyAtOnce = true
  /** What it can start; anything else becomes `failed`. */
  artifacts: readonly ArtifactKind[] = ['folder', 'image']
  /** Every start that was not of one that is there. */
  readonly starts: RuntimeSpec[] = []
  readonly stopped: string[] = []
  /** How often anybody has looked at any. */
  observed = 0
  /** Whether a stop fails. */
  failsToStop = false
  /** What the agent servers of a revision report; absent: nothing yet. */
  readonly loads = new Map<string, Load>()
  /** How many agent servers a revision was last told to have. */
  readonly scales = new Map<string, number>()
  /** What the metrics of a revision's agent servers say. */
  readonly measured = new Map<string, ServerReading[]>()
  /** What agent servers of a deployment had counted when they ended. */
  readonly lasts = new Map<string, ServerReading[]>()
  readonly activated: string[] = []
  /** What a revision, or `any`, finds out about parked threads. */
  readonly parked = new Map<string, ParkedThreads>()
  /** Every drain: `<revision> <graceMs>`. */
  readonly drained: string[] = []
  readonly #states = new Map<string, RuntimeState>()
  /** Whose each revision is. */
  readonly #deployments = new Map<string, string>()
  readonly #listeners = new Set<Parameters<RuntimeDriver['onChange']>[0]>()
  #port = 4000

  async start(spec: RuntimeSpec): Promise<void> {
    const { kind } = this.observe(spec.revision_id)
    if (kind !== 'absent' && kind !== 'failed') return
    this.#deployments.set(spec.revision_id, spec.deployment_id)
    if (!this.artifacts.includes(spec.artifact.kind)) {
      const reason = `This driver does not start artifacts of kind ${spec.artifact.kind}.`
      return this.#become(spec.revision_id, { kind: 'failed', reason })
    }
    this.starts.push(spec)
    this.#become(spec.revision_id, { kind: 'starting' })
    if (this.isHealthyAtOnce) this.becomeHealthy(spec.revision_id)
  }

  observe(revision_id: string): RuntimeState {
    this.observed += 1
    return this.#states.get(revision_id) ?? { kind: 'absent' }
  }

  revisionsOf(deployment_id: string): string[] {
    return this.present.filter((id) => this.#deployments.get(id) === deployment_id)
  }

  replicas(revision_id: string): Replica[] {
    const state = this.observe(revision_id)
    if (state.kind === 'absent') return []
    const reason = 'reason' in state ? state.reason : null
    const load = this.loads.get(revision_id) ?? null
    const one: Replica = { state: state.kind, since: 0, restarts: 0, reason, load }
    return Array.from({ length: this.scales.get(revision_id) ?? 1 }, () => one)
  }

  async inspect(revision_id: string): Promise<ParkedThreads | undefined> {
    return this.parked.get(revision_id) ?? this.parked.get('any')
  }

  async readings(revision_id: string): Promise<ServerReading[]> {
    return this.measured.get(revision_id) ?? []
  }

  takeLastReadings(deployment_id: string): ServerReading[] {
    const taken = this.lasts.get(deployment_id) ?? []
    this.lasts.delete(deployment_id)
    return taken
  }

  async activate(revision_id: string): Promise<void> {
    this.activated.push(revision_id)
  }

  scale(revision_id: string, replicas: number): void {
    this.scales.set(revision_id, replicas)
  }

  async drain(revision_id: string, limits: DrainLimits): Promise<number | undefined> {
    this.drained.push(`${revision_id} ${limits.graceMs}`)
    return this.loads.get(revision_id)?.next_due_at ?? undefined
  }

  async stop(revision_id: string, _graceMs: number): Promise<void> {
    if (this.failsToStop) throw new Error('It cannot be stopped.')
    if (!this.#states.has(revision_id)) return
    this.stopped.push(revision_id)
    this.#become(revision_id, { kind: 'absent' })
  }

  onChange(listener: Parameters<RuntimeDriver['onChange']>[0]): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async stopAll(graceMs: number): Promise<void> {
    for (const revision_id of [...this.#states.keys()]) await this.stop(revision_id, graceMs)
  }

  leave(graceMs: number): Promise<void> {
    return this.stopAll(graceMs)
  }

  /** At an address of its own each time. */
  becomeHealthy(revision_id: string): void {
    const url = `http://127.0.0.1:${this.#port++}`
    this.#become(revision_id, { kind: 'healthy', endpoints: [{ url, token: `token of ${url}` }] })
  }

  /** Not healthy yet. `reason`: what it waits for that is nobody's fault. */
  wait(revision_id: string, reason?: string): void {
    this.#become(revision_id, { kind: 'starting', ...(reason !== undefined && { reason }) })
  }

  fail(revision_id: string, reason: string): void {
    this.#become(revision_id, { kind: 'failed', reason })
  }

  die(revision_id: string, reason: string): void {
    this.#become(revision_id, { kind: 'restarting', reason, restarts: 1 })
  }

  /** The revisions that are there. */
  get present(): string[] {
    return [...this.#states.keys()]
  }

  #become(revision_id: string, state: RuntimeState): void {
    if (state.kind === 'absent') this.#states.delete(revision_id)
    else this.#states.set(revision_id, state)
    for (const listener of this.#listeners)
      listener(revision_id, this.#deployments.get(revision_id) ?? '')
  }
}
