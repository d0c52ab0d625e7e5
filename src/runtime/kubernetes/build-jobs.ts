/**
 * Builds as Jobs of the cluster that agent servers run in.
 *
 * A Job is found by its labels, so a control plane that begins to lead goes on with the Jobs that the one before it
 * has left: it reads their log from the beginning, and their end from their pods. A Job is suspended until its other
 * objects exist. If the control plane was killed before that, the next one removes the Job and creates another.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { V1Job, V1Pod } from '@kubernetes/client-node'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type {
  BuildJob,
  BuildJobEnd,
  BuildJobLimits,
  BuildJobs,
  BuildSettings,
  EndedJob,
} from '../../core/deployment/builds/job.ts'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { applied, ensureNamespace } from './apply.ts'
import { type BuildState, buildStatus, JOB_GONE, readBuild } from './build-state.ts'
import { BuildWatch } from './build-watch.ts'
import { type Cluster, ClusterRefusal, openCluster } from './cluster.ts'
import {
  BUILD,
  buildJobObject,
  buildJobPolicy,
  buildJobSecret,
  buildName,
} from './objects/build-job.ts'
import { ANNOTATION, namespaceFor, ownerOf } from './objects/names.ts'
import { followPodLog } from './pod-log.ts'

interface BuildJobsOptions {
  cluster: KubernetesSettings
  /** The name of the record; see `RuntimeRecord`. */
  record: string
  limits: BuildJobLimits
  /** Read for each build: its files may have changed. */
  readSettings(): Promise<BuildSettings>
  log: Log
}

interface Ground {
  cluster: Cluster
  watch: BuildWatch
}

/** How long to wait for the rest of an ended build's log, in ms. */
const LOG_REST_MS = 10_000
/** How long to wait for more about a pod that is gone, in ms. */
const LAST_WORD_MS = 3_000
/** After how long without a pod the cluster is asked why, in ms. */
const NO_POD_MS = 20_000

/** Sends the cluster no request until the first build. */
export function createBuildJobs(options: BuildJobsOptions): BuildJobs {
  let opened: Promise<Ground> | undefined
  const ground = () => {
    opened ??= openGround(options).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const remove = async ({ metadata }: V1Job, revision_id: string, { cluster, watch }: Ground) => {
    const { name = '', namespace = '' } = metadata ?? {}
    await cluster.remove({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } })
    await watch.whenGone(revision_id)
  }
  return {
    async run(job) {
      const { cluster, watch } = await unlessAborted(job.signal, ground())
      let found = watch.jobOf(job.revision_id)
      if (found?.spec?.suspend) {
        await unlessAborted(job.signal, remove(found, job.revision_id, { cluster, watch }))
        found = undefined
      }
      if (found) job.onLine('Going on with the build that an earlier control plane has begun.')
      const begun = found ?? (await begin(job, cluster, options))
      const end = await follow(begun, job, { cluster, watch, limits: options.limits })
      const repo_commit_sha = begun.metadata?.annotations?.[ANNOTATION.commit] ?? null
      return { end, repo_commit_sha, isFound: found !== undefined } satisfies EndedJob
    },
    async remove(revision_id) {
      // Nothing was begun if the cluster was never opened.
      if (!opened) return
      const { cluster, watch } = await opened
      const job = watch.jobOf(revision_id)
      if (!job) return
      try {
        await remove(job, revision_id, { cluster, watch })
      } catch (error) {
        // The search for orphans removes it later.
        options.log.warn({ err: error, revision_id }, 'The Job of a build stays.')
      }
    },
    stop() {
      void opened?.then(
        ({ cluster }) => cluster.stop(),
        () => {},
      )
    },
  }
}

async function openGround({ cluster: settings, record, log }: BuildJobsOptions): Promise<Ground> {
  const cluster = await openCluster(settings, log)
  try {
    const watch = new BuildWatch({ installation: settings.installation, record })
    await watch.begin(cluster)
    return { cluster, watch }
  } catch (error) {
    cluster.stop()
    if (!(error instanceof ClusterRefusal)) throw error
    throw new BuildError('job', `${REFUSED}: ${error.message}. ${APPLY_AGAIN}`)
  }
}

const REFUSED = 'Kubernetes refuses to show the Jobs of builds'
const APPLY_AGAIN = 'The operator has to allow it: deploy/kubernetes/base/access.yaml says how.'

async function begin(
  job: BuildJob,
  cluster: Cluster,
  { cluster: settings, record, limits, readSettings }: BuildJobsOptions,
): Promise<V1Job> {
  const { task, repo_commit_sha: commit } = await job.prepare()
  const { revision_id, deployment_id, workspace_id = 'default' } = job
  const namespace = namespaceFor(settings.namespace, workspace_id)
  const { installation, image } = settings
  const build = { revision_id, deployment_id, installation, record, namespace }
  try {
    await ensureNamespace(namespace, cluster, settings)
    const bring = <T extends object>(object: T) => applied(cluster, object, 'build')
    const made = await bring(buildJobObject(build, { image, limits, commit }))
    const owner = ownerOf(made)
    await bring(buildJobPolicy(build, owner))
    await bring(buildJobSecret(build, owner, { ...task, settings: await readSettings(), limits }))
    const ref = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: owner.name, namespace } }
    await cluster.patch(ref, { spec: { suspend: false } })
    job.onLine(`Building as the Job ${buildName(revision_id)} in the namespace ${namespace}.`)
    return made
  } catch (error) {
    if (!(error instanceof AppError || error instanceof ClusterRefusal)) throw error
    throw new BuildError('job', error.message, { cause: error })
  }
}

/** Resolves with the end of the build, when its log is read. */
async function follow(
  begun: V1Job,
  { revision_id, signal, onLine }: BuildJob,
  { cluster, watch, limits }: Ground & Pick<BuildJobsOptions, 'limits'>,
): Promise<BuildJobEnd> {
  const { metadata } = begun
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const told = new Set<string>()
  let reading: Promise<void> | undefined
  const look = (): BuildState => {
    const job = watch.jobOf(revision_id)
    const pod = watch.podOf(metadata?.uid)
    if (pod && !reading && hasBegun(pod))
      reading = readLog(pod, watch, { cluster, onLine, signal: either })
    // The watch may not have seen it yet.
    if (!job) return watch.wasSeen(metadata?.uid) ? { kind: 'lost', end: JOB_GONE } : WAITING
    const state = readBuild(job, pod, limits)
    const note = state.kind === 'waiting' ? state.note : undefined
    if (note !== undefined && !told.has(note)) onLine(`It waits: ${note}.`)
    if (note !== undefined) told.add(note)
    return state
  }
  const refused = whenRefused(begun, { cluster, watch, signal: either })
  try {
    const end = await Promise.race([watch.until(look, LAST_WORD_MS, either), refused])
    // The last output may come a moment after the end.
    const late = delay(LOG_REST_MS, undefined, { signal: either })
    await unlessAborted(signal, Promise.race([reading, late]))
    return end
  } finally {
    over.abort()
  }
}

const WAITING: BuildState = { kind: 'waiting' }

function hasBegun(pod: V1Pod): boolean {
  const { state } = buildStatus(pod) ?? {}
  return state?.running !== undefined || state?.terminated !== undefined
}

function readLog(
  { metadata }: V1Pod,
  watch: BuildWatch,
  {
    cluster,
    onLine,
    signal,
  }: { cluster: Cluster; onLine(line: string): void; signal: AbortSignal },
): Promise<void> {
  const { name: pod = '', namespace = '' } = metadata ?? {}
  const isRunning = () => {
    const now = watch.podOf(metadata?.ownerReferences?.[0]?.uid)
    return now !== undefined && buildStatus(now)?.state?.running !== undefined
  }
  const ref = { namespace, pod, container: BUILD }
  return followPodLog({ cluster, ref, since: undefined, onLine, isRunning, signal })
}

/** The namespace may refuse the pod: then the Job has none, and the cluster says why in an event. */
async function whenRefused(
  { metadata }: V1Job,
  { cluster, watch, signal }: Ground & { signal: AbortSignal },
): Promise<BuildJobEnd> {
  const { name: pod = '', namespace = '', uid } = metadata ?? {}
  while (!signal.aborted) {
    await delay(NO_POD_MS, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted || watch.podOf(uid)) break
    const why = await cluster.lastWarning({ namespace, pod })
    if (why === undefined || watch.podOf(uid)) continue
    return { kind: 'failed', step: 'job', message: `Kubernetes makes no pod for it: ${why}` }
  }
  // The other promise settles.
  return new Promise(() => {})
}

/** Rejects with the signal's reason as soon as it is aborted. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
