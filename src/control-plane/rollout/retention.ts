/** Keeps builds and tarballs for rollbacks, and removes the others. */

import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { allRevisions, type Deployment } from '../../core/deployment/deployment.ts'
import { isRevisionOver, type Revision } from '../../core/deployment/revision.ts'
import type { Upload } from '../../core/deployment/upload.ts'
import type { ReconcilerLimits, ReconcilerParts } from './rollout-parts.ts'

/** How long an upload that no revision names is kept, in ms: its revision may still come. */
const UNUSED_UPLOAD_MS = 24 * 3_600_000

type RetentionOptions = Pick<ReconcilerLimits, 'keptRevisions'> &
  Pick<ReconcilerParts, 'store' | 'builder' | 'tarballs' | 'driver' | 'clock' | 'log'>

/**
 * Cleans up the deployments that were noted, one after the other, in the background. After a crash, the
 * next process removes the rest: it begins with all deployments.
 */
export class Retention {
  readonly #options: RetentionOptions
  readonly #noted = new Set<string>()
  #working: Promise<void> | undefined
  #isStopped = false

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  /** Notes that the deployment may have something to remove. */
  note(deployment_id: string): void {
    this.#noted.add(deployment_id)
    if (!this.#isStopped) this.#working ??= this.#work()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#working
  }

  async #work(): Promise<void> {
    for (const deployment_id of this.#noted) {
      if (this.#isStopped) break
      this.#noted.delete(deployment_id)
      await this.#prune(deployment_id).catch((error: unknown) => {
        this.#options.log.error({ err: error, deployment_id }, 'old builds could not be removed')
      })
    }
    this.#working = undefined
  }

  async #prune(deployment_id: string): Promise<void> {
    const { store, builder, tarballs, log } = this.#options
    const built = new Set(await builder.list())
    const old = await store.transaction((tx) => this.#takeOld(tx, deployment_id, built))
    for (const id of old.builds) await builder.prune(id)
    for (const object_path of old.tarballs) await tarballs.remove(object_path)
    const counts = { builds: old.builds.length, tarballs: old.tarballs.length }
    if (counts.builds + counts.tarballs > 0) log.info({ deployment_id, ...counts }, 'removed old')
  }

  /**
   * The builds and tarballs to remove. Records of uploads go at once: a redeploy checks them, in a transaction
   * too, so that it cannot rely on a tarball that is about to go.
   */
  async #takeOld(
    tx: ControlPlaneStore,
    deployment_id: string,
    built: ReadonlySet<string>,
  ): Promise<{ builds: string[]; tarballs: string[] }> {
    const deployment = await tx.deployments.get(deployment_id)
    if (!deployment || deployment.status === 'AWAITING_DELETE') return { builds: [], tarballs: [] }
    const revisions = await allRevisions(tx, deployment_id)
    const kept = keptOf(deployment, revisions, this.#options.keptRevisions)
    const builds = revisions
      .map(({ id }) => id)
      .filter((id) => built.has(id) && !kept.builds.has(id))
    const tarballs = (await tx.uploads.list(deployment_id))
      .filter((upload) => !kept.tarballs.has(upload.object_path) && this.#isOver(upload, revisions))
      .map(({ object_path }) => object_path)
    for (const object_path of tarballs) await tx.uploads.delete(object_path)
    return { builds: builds.filter((id) => !this.#isRunning(id)), tarballs }
  }

  /** Whether no further revision can come of the upload. */
  #isOver({ object_path, created_at }: Upload, revisions: Revision[]): boolean {
    const isNamed = revisions.some(
      (one) => one.source_revision_config.source_tarball_path === object_path,
    )
    return isNamed || this.#options.clock.now() - Date.parse(created_at) >= UNUSED_UPLOAD_MS
  }

  /** A replaced revision that still drains may load more of its files. */
  #isRunning(revision_id: string): boolean {
    return this.#options.driver.observe(revision_id).kind !== 'absent'
  }
}

/** Revisions on their way, the active one, and the newest deployed ones; with their builds and tarballs. */
function keptOf({ active_revision_id }: Deployment, revisions: Revision[], count: number) {
  const needed = revisions.filter(
    ({ id, status }) => id === active_revision_id || !isRevisionOver(status),
  )
  const deployed = revisions.filter(({ status }) => status === 'DEPLOYED').slice(0, count)
  const kept = [...needed, ...deployed]
  const paths = kept.map((one) => one.source_revision_config.source_tarball_path)
  return {
    builds: new Set(kept.flatMap(({ id, built_from }) => [id, built_from ?? id])),
    tarballs: new Set(paths.filter((path) => path !== null)),
  }
}
