/** The Jobs of builds and their pods, as the cluster reports them. */
import { EventEmitter, once } from 'node:events'
import type { V1Job, V1Pod } from '@kubernetes/client-node'
import type { BuildJobEnd } from '../../core/deployment/builds/job.ts'
import type { BuildState } from './build-state.ts'
import type { Cluster } from './cluster.ts'
import { BUILD_COMPONENT } from './objects/build-job.ts'
import { LABEL, selectorOf } from './objects/names.ts'

export class BuildWatch {
  readonly #selector: string
  /** By revision. */
  readonly #jobs = new Map<string, V1Job>()
  /** By their Job. */
  readonly #pods = new Map<string, V1Pod>()
  readonly #seen = new Set<string>()
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** Ignores objects of another record. */
  constructor({ installation, record }: { installation: string; record: string }) {
    this.#selector = selectorOf({
      [LABEL.component]: BUILD_COMPONENT,
      [LABEL.installation]: installation,
      [LABEL.record]: record,
    })
  }

  /** Resolves when all existing objects are known. Throws `ClusterRefusal` if they may not be read. */
  async begin(cluster: Cluster): Promise<void> {
    const selector = this.#selector
    const jobs = { apiVersion: 'batch/v1', kind: 'Job', selector }
    const noting =
      <T>(note: (object: T) => unknown) =>
      (object: T) => {
        note(object)
        this.#changes.emit('change')
      }
    // A refused watch would be retried for ever.
    await cluster.list(jobs)
    await cluster.watch<V1Pod>(
      { apiVersion: 'v1', kind: 'Pod', selector },
      {
        onChange: noting((pod) => this.#pods.set(ownerOf(pod), pod)),
        onGone: noting((pod) => this.#pods.delete(ownerOf(pod))),
      },
    )
    await cluster.watch<V1Job>(jobs, {
      onChange: noting((job) => {
        this.#jobs.set(revisionOf(job), job)
        this.#seen.add(job.metadata?.uid ?? '')
      }),
      onGone: noting((job) => this.#jobs.delete(revisionOf(job))),
    })
  }

  /** Includes a Job that is being deleted. */
  jobOf(revision_id: string): V1Job | undefined {
    return this.#jobs.get(revision_id)
  }

  podOf(job_uid: string | undefined): V1Pod | undefined {
    return this.#pods.get(job_uid ?? '')
  }

  /** Whether the Job existed once. */
  wasSeen(job_uid: string | undefined): boolean {
    return this.#seen.has(job_uid ?? '')
  }

  async whenGone(revision_id: string): Promise<void> {
    while (this.#jobs.has(revision_id)) await once(this.#changes, 'change')
  }

  /**
   * Resolves when `look` reports that the build has ended, or for `lastWordMs` that it is lost. Rejects with the
   * signal's reason.
   */
  async until(
    look: () => BuildState,
    lastWordMs: number,
    signal: AbortSignal,
  ): Promise<BuildJobEnd> {
    let lost: { end: BuildJobEnd; over: AbortSignal } | undefined
    for (;;) {
      signal.throwIfAborted()
      const state = look()
      if (state.kind === 'ended') return state.end
      if (state.kind === 'lost') lost ??= { end: state.end, over: AbortSignal.timeout(lastWordMs) }
      if (lost?.over.aborted) return lost.end
      const waiting = AbortSignal.any([signal, ...(lost ? [lost.over] : [])])
      await once(this.#changes, 'change', { signal: waiting }).catch(() => {})
    }
  }
}

function revisionOf({ metadata }: V1Job): string {
  return metadata?.labels?.[LABEL.build] ?? ''
}

function ownerOf({ metadata }: V1Pod): string {
  return metadata?.ownerReferences?.find(({ kind }) => kind === 'Job')?.uid ?? ''
}
