/** The Kubernetes driver: agent servers as pods of a cluster, which keeps them running. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import type { V1Deployment, V1ObjectMeta, V1Pod, V1Secret } from '@kubernetes/client-node'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import { deployLogPaths, openDeployLog } from '../deploy-log.ts'
import { DEFAULT_HEALTH_TIMEOUT_MS } from '../replicas/last-words.ts'
import { DEFAULT_RETIRE_LIMIT_MS } from '../replicas/replicas.ts'
import { createRevisionTable, type Hearing } from '../replicas/revision-table.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { beginRevision } from './begin.ts'
import { type Cluster, openCluster } from './cluster.ts'
import {
  ANNOTATION,
  LABEL,
  namespaceFor,
  type RevisionIdentity,
  selectorOf,
} from './objects/names.ts'
import { readSecret } from './objects/secret.ts'
import { sweepOrphans } from './orphans.ts'
import { Revision } from './revision.ts'

export interface KubernetesDriverOptions extends RuntimeParts {
  kubernetes: KubernetesSettings
  /** How long a pod that others end keeps serving until another one answers, in ms. Default: 60,000. */
  lingerMs?: number
}

const DEFAULT_DRAIN_MS = 60_000
const DEFAULT_LINGER_MS = 60_000
/** How long the agent servers of a deployment that is gone may take to end, in ms. */
const ORPHAN_GRACE_MS = 10_000
/** Time for an agent server's work before and after its drain, in s. */
const BESIDE_DRAIN_SECONDS = 25

/**
 * Agent servers are in the cluster and outlive this process: another driver of the same installation finds them by
 * their labels and takes them over. While the API server is away, the driver waits and pods go on.
 */
export function createKubernetesDriver(options: KubernetesDriverOptions): RuntimeDriver {
  const { kubernetes: settings, record, log } = options
  const leaving = new AbortController()
  const { revisions, changed, noteLast, add, operations } = createRevisionTable<Revision>(log)
  const opening = openCluster(settings, log)
  const create = (cluster: Cluster, identity: RevisionIdentity, replicas: number) =>
    createRevision(cluster, identity, replicas, options, {
      onChange: () => changed(identity.revision_id, identity.deployment_id),
      onLast: (reading) => noteLast(identity.deployment_id, reading),
    })
  const synced = opening.then((cluster) =>
    follow(cluster, { settings, record }, revisions, (identity) => {
      const revision = create(cluster, identity, 1)
      revisions.set(identity.revision_id, revision)
      return revision
    }),
  )
  let isSettled = false
  synced
    .catch((error: unknown) => log.error({ err: error }, 'The cluster cannot be opened.'))
    .finally(() => {
      isSettled = true
    })

  const sweep = async () => {
    if (!record) return
    await synced
    const cluster = await opening
    const stop = async (revision_id: string) => {
      if (!revisions.has(revision_id)) return false
      await operations.stop(revision_id, ORPHAN_GRACE_MS)
      return true
    }
    await sweepOrphans({ cluster, settings, record, stop, signal: leaving.signal, log })
  }
  // An error is logged with `synced`.
  void sweep().catch(() => {})

  const begin = async (revision: Revision, identity: RevisionIdentity, spec: RuntimeSpec) => {
    try {
      refuseUnwatched(identity, settings)
      const cluster = await opening
      await synced
      if (revision.isWhole) return await adopt(revision, spec)
      const token = randomBytes(32).toString('base64url')
      const lingerMs = options.lingerMs ?? DEFAULT_LINGER_MS
      const waitSeconds = Math.ceil(((options.drainMs ?? DEFAULT_DRAIN_MS) + lingerMs) / 1000)
      await beginRevision(identity, spec, {
        ...{ cluster, settings, token, parts: options },
        ...{ graceSeconds: waitSeconds + BESIDE_DRAIN_SECONDS, lingerMs },
        onSecret: (secret) => {
          revision.setSecret(secret)
          revision.manage()
        },
        isWanted: () => !revision.isStopping,
      })
    } catch (error) {
      if (revision.isStopping) return
      log.warn({ err: error, revision_id: spec.revision_id }, 'A revision could not be started.')
      revision.fail(reasonOf(error))
    }
  }

  /** Takes over a revision from before this process, which did not know it yet. */
  const adopt = async (revision: Revision, spec: RuntimeSpec) => {
    // Not awaited: it stops the revision first, which waits for this.
    if (revision.state.kind === 'failed') void startAnew(spec)
    else if (!spec.isStandby) await revision.activate()
  }

  const startAnew = async (spec: RuntimeSpec) => {
    const { revision_id } = spec
    await start(spec).catch((error: unknown) =>
      log.warn({ err: error, revision_id }, 'A revision could not be started anew.'),
    )
  }

  const start = async (spec: RuntimeSpec) => {
    const { revision_id, deployment_id, deployment_name } = spec
    const cluster = await opening
    const namespace =
      spec.k8s_namespace ?? namespaceFor(settings.namespace, spec.workspace_id ?? 'default')
    const { installation } = settings
    const owner = { installation, record: record?.id }
    const identity = { revision_id, deployment_id, deployment_name, ...owner, namespace }
    await add(
      revision_id,
      () => create(cluster, identity, spec.replicas ?? 1),
      (revision) => revision.begin(begin(revision, identity, spec)),
    )
  }

  /** Until the cluster was read, a revision unknown here may still be there. */
  const looked = () => synced.catch(() => {})

  const stop: RuntimeDriver['stop'] = async (revision_id, graceMs) => {
    if (!isSettled) await looked()
    await operations.stop(revision_id, graceMs)
  }

  return {
    ...operations,
    start,
    stop,
    async stopAll(graceMs) {
      await looked()
      await operations.stopAll(graceMs)
    },
    async leave() {
      leaving.abort()
      for (const revision of revisions.values()) revision.leave()
      revisions.clear()
      await opening.then(
        (cluster) => cluster.stop(),
        () => {},
      )
    },
  }
}

/** The driver sees nothing in other namespaces. */
function refuseUnwatched({ namespace }: RevisionIdentity, settings: KubernetesSettings): void {
  const isEverywhere = settings.namespace.includes('{workspace_id}')
  if (isEverywhere || namespace === settings.namespace) return
  throw new AppError(
    'bad_request',
    `source_config.listener_config.k8s_namespace ${namespace} is not looked after here: ` +
      `RUNYARD_KUBERNETES_NAMESPACE is ${settings.namespace}. Name that one, or have the operator set it to a pattern with {workspace_id}, ` +
      'with which every namespace is.',
  )
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  return `The revision could not be started: ${error instanceof Error ? error.message : error}.`
}

/** Resolves when all objects of this installation in the cluster are known; goes on from there. */
async function follow(
  cluster: Cluster,
  {
    settings: { installation },
    record,
  }: { settings: KubernetesSettings; record: KubernetesDriverOptions['record'] },
  revisions: Map<string, Revision>,
  takeOver: (identity: RevisionIdentity) => Revision,
): Promise<void> {
  const selector = selectorOf({ [LABEL.installation]: installation })
  const found = new Set<Revision>()
  let isSynced = false
  const revisionOf = ({ metadata }: { metadata?: V1ObjectMeta }) =>
    revisions.get(metadata?.labels?.[LABEL.revision] ?? '')
  await cluster.watch<V1Secret>(
    { apiVersion: 'v1', kind: 'Secret', selector },
    {
      onChange: (secret) => {
        const start = readSecret(secret)
        if (!start || isSynced || !isOwn(secret, record)) return
        const begun = revisionOf(secret)
        const revision = begun ?? takeOver(identityOf(secret, start.deployment_name))
        revision.setSecret({
          start,
          isLinked: secret.metadata?.annotations?.[ANNOTATION.link] === 'true',
        })
        if (!begun) found.add(revision)
      },
      onGone: () => {},
    },
  )
  await cluster.watch<V1Deployment>(
    { apiVersion: 'apps/v1', kind: 'Deployment', selector },
    {
      onChange: (deployment) => revisionOf(deployment)?.setDeployment(deployment),
      onGone: (deployment) => revisionOf(deployment)?.noteDeploymentGone(deployment),
    },
  )
  await cluster.watch<V1Pod>(
    { apiVersion: 'v1', kind: 'Pod', selector },
    {
      onChange: (pod) => revisionOf(pod)?.setPod(pod),
      onGone: (pod) => revisionOf(pod)?.removePod(pod),
    },
  )
  isSynced = true
  for (const revision of revisions.values()) if (revision.isWhole) revision.manage()
  for (const revision of found) if (!revision.isWhole) revision.fail(CUT_SHORT)
}

/** Another Runyard may have the same name by mistake: its objects are not followed. */
function isOwn({ metadata }: V1Secret, record: KubernetesDriverOptions['record']): boolean {
  const label = metadata?.labels?.[LABEL.record]
  return !record || label === undefined || label === record.id
}

const CUT_SHORT = 'It was started no further than its Secret.'

function identityOf({ metadata }: V1Secret, deployment_name: string): RevisionIdentity {
  const { labels = {}, namespace = '' } = metadata ?? {}
  return {
    revision_id: labels[LABEL.revision] ?? '',
    deployment_id: labels[LABEL.deployment] ?? '',
    deployment_name,
    installation: labels[LABEL.installation] ?? '',
    record: labels[LABEL.record],
    namespace,
  }
}

function createRevision(
  cluster: Cluster,
  identity: RevisionIdentity,
  replicas: number,
  options: KubernetesDriverOptions,
  hearing: Hearing,
): Revision {
  const { clock, kubernetes } = options
  const { revision_id, deployment_id } = identity
  const log = options.log.child({ revision_id, deployment_id })
  const path = options.logsDir && deployLogPaths(options.logsDir, revision_id)[0]
  const logSince = path && lastWritten(path)
  const deployLog = openDeployLog(options, revision_id, log)
  return new Revision(
    {
      ...{ identity, cluster, deployLog, logSince, clock, log, ...hearing },
      healthTimeoutMs: options.healthTimeoutMs ?? DEFAULT_HEALTH_TIMEOUT_MS,
      retireLimitMs: options.retireLimitMs ?? DEFAULT_RETIRE_LIMIT_MS,
      drainMs: options.drainMs ?? DEFAULT_DRAIN_MS,
      scalesItself: kubernetes.scaling === 'hpa',
    },
    replicas,
  )
}

/** When an earlier process wrote to the log last; `undefined`: none did. */
function lastWritten(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.mtime.toISOString()
}
