/** The revisions of a runtime driver, and those of its operations that it only passes on to one of them. */
import type { RuntimeDriver, RuntimeState } from '../../core/deployment/runtime.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import type { Log } from '../../core/log.ts'

/** How many last readings of ended agent servers are kept of a deployment until they are taken. */
const MOST_LASTS = 1_000

/** Callbacks of a revision, or of one of its agent servers. */
export interface Hearing {
  /** Called after each change of state. */
  onChange(): void
  /** Receives the last counts of an agent server that ends. */
  onLast(reading: ServerReading): void
}

type Listener = Parameters<RuntimeDriver['onChange']>[0]

/** A revision of a driver; its operations are the driver's, without the revision's id. */
interface Revision {
  readonly deployment_id: string
  readonly isStopping: boolean
  readonly state: RuntimeState
  readonly replicas: ReturnType<RuntimeDriver['replicas']>
  readings(): ReturnType<RuntimeDriver['readings']>
  inspect(): ReturnType<RuntimeDriver['inspect']>
  activate(): ReturnType<RuntimeDriver['activate']>
  scale(...values: Rest<Parameters<RuntimeDriver['scale']>>): void
  drain(...values: Rest<Parameters<RuntimeDriver['drain']>>): ReturnType<RuntimeDriver['drain']>
  stop(graceMs: number): Promise<void>
}

type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never

interface RevisionTable<R extends Revision> {
  /** By their ids. */
  readonly revisions: Map<string, R>
  /** Notifies each listener of the driver; one that throws does not affect the others. */
  changed(revision_id: string, deployment_id: string): void
  /** Keeps the last counts of an agent server of the deployment until they are asked for. */
  noteLast(deployment_id: string, reading: ServerReading): void
  /**
   * Adds a revision unless it exists already; one that has failed or is being stopped goes first. `create` and then
   * `begin` are called in the same turn of the event loop as the check whether it exists.
   */
  add(revision_id: string, create: () => R, begin: (revision: R) => void): Promise<void>
  /** The driver's operations that need only its revisions. */
  readonly operations: Omit<RuntimeDriver, 'start' | 'leave'>
}

export function createRevisionTable<R extends Revision>(log: Log): RevisionTable<R> {
  const revisions = new Map<string, R>()
  const listeners = new Set<Listener>()
  const changed = (revision_id: string, deployment_id: string) => {
    for (const listener of listeners) {
      try {
        listener(revision_id, deployment_id)
      } catch (error) {
        log.error({ err: error, revision_id }, 'A listener of the runtime driver failed.')
      }
    }
  }
  const stop = async (revision_id: string, graceMs: number) => {
    const revision = revisions.get(revision_id)
    if (!revision) return
    await revision.stop(graceMs)
    if (revisions.get(revision_id) !== revision) return
    revisions.delete(revision_id)
    changed(revision_id, revision.deployment_id)
  }
  const add: RevisionTable<R>['add'] = async (revision_id, create, begin) => {
    for (let there = revisions.get(revision_id); there; there = revisions.get(revision_id)) {
      if (!there.isStopping && there.state.kind !== 'failed') return
      await stop(revision_id, 0)
    }
    const revision = create()
    revisions.set(revision_id, revision)
    begin(revision)
    changed(revision_id, revision.deployment_id)
  }
  const lasts = new Map<string, ServerReading[]>()
  const noteLast = (deployment_id: string, reading: ServerReading) => {
    lasts.set(deployment_id, [...(lasts.get(deployment_id) ?? []), reading].slice(-MOST_LASTS))
  }
  const operations: RevisionTable<R>['operations'] = {
    observe: (revision_id) => revisions.get(revision_id)?.state ?? { kind: 'absent' },
    revisionsOf: (deployment_id) =>
      [...revisions].flatMap(([id, one]) => (one.deployment_id === deployment_id ? [id] : [])),
    replicas: (revision_id) => revisions.get(revision_id)?.replicas ?? [],
    readings: async (revision_id) => revisions.get(revision_id)?.readings() ?? [],
    takeLastReadings(deployment_id) {
      const taken = lasts.get(deployment_id) ?? []
      lasts.delete(deployment_id)
      return taken
    },
    inspect: async (revision_id) => revisions.get(revision_id)?.inspect(),
    activate: async (revision_id) => revisions.get(revision_id)?.activate(),
    scale: (revision_id, count, retire) => revisions.get(revision_id)?.scale(count, retire),
    drain: async (revision_id, limits) => revisions.get(revision_id)?.drain(limits),
    stop,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stopAll(graceMs) {
      await Promise.all([...revisions.keys()].map((revision_id) => stop(revision_id, graceMs)))
    },
  }
  return { revisions, changed, noteLast, add, operations }
}
