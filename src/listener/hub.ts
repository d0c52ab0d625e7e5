/**
 * How the leading control plane runs deployments: most with its own driver and gateway, others through the
 * listener that they name, in another cluster. Callers see one driver and one table of names.
 */
import { randomUUID } from 'node:crypto'
import type { Place } from '../core/deployment/listener.ts'
import type {
  Hub,
  ListenerExchange,
  ListenerReport,
  ReportedRevision,
} from '../core/deployment/listener-protocol.ts'
import type { RuntimeDriver, RuntimeSpec } from '../core/deployment/runtime.ts'
import type { ReferringTable } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'
import { createRevisionTable } from '../runtime/replicas/revision-table.ts'
import { RemoteListener } from './remote-listener.ts'
import { RemoteNames } from './remote-names.ts'
import { RemoteRevision, type Start } from './remote-revision.ts'

export interface HubOptions {
  /** The control plane's own driver. */
  driver: RuntimeDriver
  targets: ReferringTable
  /** The key with which a deployment's agents ask for tokens. */
  homeKey(deployment_id: string): Promise<string>
  /** The key with which its agent servers encrypt credentials. */
  dataKey(deployment_id: string): string
  /**
   * The record's place for a revision that a listener reports: it is to run there, it is to run somewhere else, or it
   * no longer exists.
   */
  placeOf(listener_id: string, which: Which): Promise<Place>
  /** Keeps lines that an agent server has printed. */
  appendLog(revision_id: string, text: string): void
  drainMs: number
  log: Log
}

interface Which {
  revision_id: string
  deployment_id: string
}

export function createHub(options: HubOptions): Hub {
  const { driver: own, log } = options
  const table = createRevisionTable<RemoteRevision>(log)
  const { revisions } = table
  const ownersOf = new Map<string, RemoteListener>()
  const listeners = new Map<string, RemoteListener>()
  const term = randomUUID()
  const of = (listener: RemoteListener) =>
    [...revisions].filter(([id]) => ownersOf.get(id) === listener)

  const listenerOf = (id: string): RemoteListener => {
    const there = listeners.get(id)
    if (there) return there
    const listener: RemoteListener = new RemoteListener({
      ...{ id, term, drainMs: options.drainMs },
      collect: () => ({
        revisions: of(listener).map(([, revision]) => revision.order),
        names: names.ordersFor(listener),
      }),
      onAway: () => {
        log.warn({ listener_id: id }, 'a listener is away')
        for (const [, revision] of of(listener)) revision.noteAway()
      },
    })
    listeners.set(id, listener)
    return listener
  }

  const names = new RemoteNames({
    own: options.targets,
    listenerOf,
    drain({ revision_id, url }, limitMs, graceMs) {
      const revision = revisions.get(revision_id)
      // The listener itself drains an agent server that scaling removes.
      return (
        revision &&
        (url === undefined ? revision.drainRequests(limitMs, graceMs) : Promise.resolve())
      )
    },
  })

  const create = (listener: RemoteListener, which: Which, start?: Start) => {
    const { revision_id, deployment_id } = which
    const mayAdopt = !ownersOf.has(revision_id)
    ownersOf.set(revision_id, listener)
    listener.keep(revision_id)
    return new RemoteRevision({
      ...{ ...which, listener, mayAdopt },
      ...(start && { start }),
      onChange: () => table.changed(revision_id, deployment_id),
    })
  }

  const start = async (spec: RuntimeSpec, listener: RemoteListener) => {
    const home_key = await options.homeKey(spec.deployment_id).catch(() => null)
    const data_key = options.dataKey(spec.deployment_id)
    // The listener knows the revision, and does not run it.
    if (revisions.get(spec.revision_id)?.state.kind === 'absent') revisions.delete(spec.revision_id)
    await table.add(
      spec.revision_id,
      () => create(listener, spec, { spec, home_key, data_key }),
      () => listener.renew(),
    )
  }

  const stop = async (revision_id: string, graceMs: number) => {
    const revision = revisions.get(revision_id)
    const listener = ownersOf.get(revision_id)
    if (!revision || !listener) return
    // Its end may be known already: the order stays until the listener no longer reports the revision.
    const { deployment_id } = revision
    listener.stopLater({ revision_id, deployment_id, grace_ms: graceMs })
    await table.operations.stop(revision_id, graceMs)
  }

  /** Finds revisions from before this control plane led, or that it no longer knows. */
  const findNew = async (listener: RemoteListener, reported: readonly ReportedRevision[]) => {
    const strangers = new Set<string>()
    const isSettled = (id: string) =>
      revisions.has(id) || listener.isToStop(id) || strangers.has(id)
    for (const { revision_id, deployment_id } of reported) {
      if (listener.strangers.has(revision_id)) strangers.add(revision_id)
      if (isSettled(revision_id)) continue
      const which = { revision_id, deployment_id }
      const place = await options.placeOf(listener.id, which)
      if (isSettled(revision_id)) continue
      if (place === 'there') revisions.set(revision_id, create(listener, which))
      else if (place === 'nowhere') listener.stopUnknown({ ...which, grace_ms: 0 })
      else {
        strangers.add(revision_id)
        log.warn({ ...which, listener_id: listener.id }, 'a listener tells of what is not its own')
      }
    }
    listener.strangers = strangers
  }

  const note = (listener: RemoteListener, report: ListenerReport, version: number) => {
    const told = new Map(report.revisions.map((one) => [one.revision_id, one]))
    for (const [id, revision] of of(listener)) {
      const reported = told.get(id)
      const heard = reported
        ? ({ kind: 'report', reported, session: report.session } as const)
        : ({ kind: 'absent', version } as const)
      if (!revision.note(heard)) continue
      revisions.delete(id)
      table.changed(id, revision.deployment_id)
    }
    names.note(listener, report)
    for (const { revision_id, text } of report.logs) {
      const isThere = revisions.has(revision_id) && ownersOf.get(revision_id) === listener
      if (isThere) options.appendLog(revision_id, text)
    }
  }

  const exchange: ListenerExchange = async ({ id, compute_config }, report, signal) => {
    const listener = listenerOf(id)
    await findNew(listener, report.revisions)
    return listener.exchange(report, compute_config.k8s_namespaces, {
      note: (version) => note(listener, report, version),
      signal,
    })
  }

  const isRemote = (revision_id: string) => revisions.has(revision_id)
  const { operations } = table
  const driver: RuntimeDriver = {
    start: (spec) =>
      spec.listener_id === undefined ? own.start(spec) : start(spec, listenerOf(spec.listener_id)),
    observe: (id) => (isRemote(id) ? operations : own).observe(id),
    revisionsOf: (id) => [...own.revisionsOf(id), ...operations.revisionsOf(id)],
    replicas: (id) => (isRemote(id) ? operations : own).replicas(id),
    readings: (id) => (isRemote(id) ? operations : own).readings(id),
    takeLastReadings: (deployment_id) => own.takeLastReadings(deployment_id),
    inspect: (id) => (isRemote(id) ? operations : own).inspect(id),
    activate: (id) => (isRemote(id) ? operations : own).activate(id),
    scale: (id, ...rest) => (isRemote(id) ? operations : own).scale(id, ...rest),
    drain: (id, limits) => (isRemote(id) ? operations : own).drain(id, limits),
    stop: (id, graceMs) => (isRemote(id) ? stop(id, graceMs) : own.stop(id, graceMs)),
    onChange(listener) {
      const ends = [own.onChange(listener), operations.onChange(listener)]
      return () => {
        for (const end of ends) end()
      }
    },
    async stopAll(graceMs) {
      const ids = [...revisions.keys()]
      await Promise.all([own.stopAll(graceMs), ...ids.map((id) => stop(id, graceMs))])
    },
    async leave(graceMs) {
      for (const listener of listeners.values()) listener.stop()
      revisions.clear()
      await own.leave(graceMs)
    },
  }
  return { driver, targets: names, exchange }
}
