/** The gateway's half of `core/target.ts`: which upstream answers under which name. */
import { AppError } from '../core/errors.ts'
import type { Target, TargetTable } from '../core/target.ts'
import { noDeployment } from './route.ts'
import { Upstream } from './upstream.ts'

type Entry =
  | { kind: 'serving'; workspace_id: string; upstream: Upstream }
  | { kind: 'paused'; workspace_id: string }

/**
 * In memory only: the reconciler fills it at start and keeps it right. Each method takes effect for
 * every request that has not been handed to an upstream yet.
 */
export class Targets implements TargetTable {
  private readonly entries = new Map<string, Entry>()
  /** Also those that no name leads to any more, while something is open on them. */
  private readonly upstreams = new Set<Upstream>()
  private isStopped = false

  set(name: string, target: Target): void {
    if (this.isStopped) return
    const current = this.entries.get(name)
    if (current?.kind === 'serving' && isSame(current.upstream.target, target)) return
    const upstream = new Upstream(target)
    this.upstreams.add(upstream)
    this.replace(name, { kind: 'serving', workspace_id: target.workspace_id, upstream })
  }

  pause(name: string, deployment: { workspace_id: string }): void {
    if (this.isStopped) return
    this.replace(name, { kind: 'paused', workspace_id: deployment.workspace_id })
  }

  remove(name: string): void {
    this.replace(name, undefined)
  }

  async drain(revision_id: string, limitMs: number): Promise<void> {
    const drained = [...this.upstreams].filter(
      (upstream) => upstream.target.revision_id === revision_id,
    )
    await Promise.all(drained.map((upstream) => upstream.drain(limitMs)))
  }

  /** The workspace that the name belongs to. Throws `not_found`. */
  workspaceOf(name: string): string {
    return this.entryOf(name).workspace_id
  }

  /** What answers under the name just now. Throws `not_found`, `unavailable` while it is paused. */
  upstreamOf(name: string): Upstream {
    const entry = this.entryOf(name)
    if (entry.kind === 'serving') return entry.upstream
    throw new AppError('unavailable', `No revision of "${name}" is running yet; try again soon.`)
  }

  /** Cuts whatever is open; every name answers `unavailable` from now on. */
  stop(): void {
    this.isStopped = true
    for (const name of [...this.entries.keys()]) this.remove(name)
    for (const upstream of [...this.upstreams]) upstream.cutAll()
  }

  private entryOf(name: string): Entry {
    if (this.isStopped) throw new AppError('unavailable', 'Runyard is shutting down.')
    const entry = this.entries.get(name)
    if (!entry) throw noDeployment(name)
    return entry
  }

  private replace(name: string, entry: Entry | undefined): void {
    const old = this.entries.get(name)
    if (entry) this.entries.set(name, entry)
    else this.entries.delete(name)
    if (old?.kind !== 'serving') return
    const { upstream } = old
    upstream.retire(() => this.upstreams.delete(upstream))
  }
}

function isSame(a: Target, b: Target): boolean {
  return (
    a.revision_id === b.revision_id &&
    a.workspace_id === b.workspace_id &&
    a.endpoint.url === b.endpoint.url &&
    a.endpoint.token === b.endpoint.token
  )
}
