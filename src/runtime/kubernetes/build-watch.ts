/** The Jobs of builds and their pods, as the cluster reports them. */
import type { V1Job, V1Pod } from '@kubernetes/client-node'
import type { BuildJobEnd } from '../../core/deployment/builds/job.ts'
import type { BuildState } from './build-state.ts'
import type { Cluster } from './cluster.ts'
import { BUILD_COMPONENT } from './objects/build-job.ts'
import { LABEL } from './objects/names.ts'

const JOBS = {
  ...{ path: '/apis/batch/v1', plural: 'jobs' },
  ...{ apiVersion: 'batch/v1', kind: 'Job' },
}
const PODS = { path: '/api/v1', plural: 'pods', apiVersion: 'v1', kind: 'Pod' }

export class BuildWatch {
  readonly #selector: string
  /** By revision. */
  readonly #jobs = new Map<string, V1Job>()
  /** By their Job. */
  readonly #pods = new Map<string, V1Pod>()
  readonly #seen = new Set<string>()
  readonly #listeners = new Set<() => void>()

  /** Ignores objects of another record. */
  constructor({ installation, record }: { installation: string; record: string }) {
    this.#selector = [
      `${LABEL.managedBy}=runyard`,
      `${LABEL.component}=${BUILD_COMPONENT}`,
      `${LABEL.installation}=${installation}`,
      `${LABEL.record}=${record}`,
    ].join(',')
  }

  /** Resolves when all existing objects are known. Throws `ClusterRefusal` if they may not be read. */
  async begin(cluster: Cluster): Promise<void> {
    const selector = this.#selector
    // A refused watch would be retried for ever.
    await cluster.list({ apiVersion: 'batch/v1', kind: 'Job', selector })
    await cluster.watch<V1Pod>(
      { ...PODS, selector },
      {
        onChange: (pod) => this.#tell(() => this.#pods.set(ownerOf(pod), pod)),
        onGone: (pod) => this.#tell(() => this.#pods.delete(ownerOf(pod))),
      },
    )
    await cluster.watch<V1Job>(
      { ...JOBS, selector },
      {
        onChange: (job) =>
          this.#tell(() => {
            this.#jobs.set(revisionOf(job), job)
            this.#seen.add(job.metadata?.uid ?? '')
          }),
        onGone: (job) => this.#tell(() => this.#jobs.delete(revisionOf(job))),
      },
    )
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
    while (this.#jobs.has(revision_id)) await this.#next()
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
    const { promise, resolve, reject } = Promise.withResolvers<BuildJobEnd>()
    let timer: NodeJS.Timeout | undefined
    const again = () => {
      const state = look()
      if (state.kind === 'ended') resolve(state.end)
      else if (state.kind === 'lost') timer ??= setTimeout(() => resolve(state.end), lastWordMs)
    }
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    this.#listeners.add(again)
    try {
      signal.throwIfAborted()
      again()
      return await promise
    } finally {
      this.#listeners.delete(again)
      signal.removeEventListener('abort', onAbort)
      clearTimeout(timer)
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        this.#listeners.delete(listener)
        resolve()
      }
      this.#listeners.add(listener)
    })
  }

  #tell(change: () => void): void {
    change()
    for (const listener of [...this.#listeners]) listener()
  }
}

function revisionOf({ metadata }: V1Job): string {
  return metadata?.labels?.[LABEL.build] ?? ''
}

function ownerOf({ metadata }: V1Pod): string {
  return metadata?.ownerReferences?.find(({ kind }) => kind === 'Job')?.uid ?? ''
}
