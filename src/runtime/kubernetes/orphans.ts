/**
 * Removes objects of deployments that the record no longer has, and builds that no rollout waits for: made by a control
 * plane that had lost the lead, or left by one that was away while they were deleted or interrupted.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { V1Job, V1Secret } from '@kubernetes/client-node'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import type { Log } from '../../core/log.ts'
import type { RuntimeRecord } from '../runtime-parts.ts'
import { type Cluster, ClusterRefusal } from './cluster.ts'
import { LABEL, selectorOf } from './objects/names.ts'

/** How often they are looked for, in ms. */
const EVERY_MS = 600_000

interface SweepOptions {
  cluster: Cluster
  settings: Pick<KubernetesSettings, 'installation'>
  record: RuntimeRecord
  /** Ends a revision that the driver knows; returns `false` for another one. */
  stop(revision_id: string): Promise<boolean>
  /** Ends the search. */
  signal: AbortSignal
  log: Log
}

/** Looks at once, and again and again. Never rejects. */
export async function sweepOrphans(options: SweepOptions): Promise<void> {
  const { signal, log } = options
  while (!signal.aborted) {
    await removeOrphans(options).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'Left-over objects could not be looked for.')
    })
    await delay(EVERY_MS, undefined, { ref: false, signal }).catch(() => {})
  }
}

/** Leaves alone objects of another record, and those without one. Removes nothing if the record cannot be read. */
async function removeOrphans(options: SweepOptions): Promise<void> {
  const { cluster, settings, record, log } = options
  const selector = selectorOf({
    [LABEL.installation]: settings.installation,
    [LABEL.record]: record.id,
  })
  // Listed before the record is asked: it has a deployment before the first object exists.
  const secrets = await cluster.list<V1Secret>({ apiVersion: 'v1', kind: 'Secret', selector })
  for (const secret of secrets) {
    const { labels = {} } = secret.metadata ?? {}
    const deployment_id = labels[LABEL.deployment]
    const revision_id = labels[LABEL.revision]
    if (!deployment_id || !revision_id || (await record.has(deployment_id))) continue
    log.warn({ deployment_id, revision_id }, 'Objects of a deployment that is gone are removed.')
    await removeOne(secret, revision_id, options)
  }
  if (record.isOver) await removeBuilds(selector, record.isOver, options)
}

/** A Job owns its other objects. Listed before the record is asked, as above. */
async function removeBuilds(
  selector: string,
  isOver: NonNullable<RuntimeRecord['isOver']>,
  { cluster, log }: SweepOptions,
): Promise<void> {
  const jobs = await cluster.list<V1Job>({ apiVersion: 'batch/v1', kind: 'Job', selector })
  for (const { metadata } of jobs) {
    const { labels = {}, name = '', namespace = '' } = metadata ?? {}
    const deployment_id = labels[LABEL.deployment]
    const revision_id = labels[LABEL.build]
    if (!deployment_id || !revision_id || !(await isOver(deployment_id, revision_id))) continue
    log.warn({ deployment_id, revision_id }, 'The Job of an abandoned build is removed.')
    await cluster.remove({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } })
  }
}

/** The Secret owns all other objects: the cluster removes them after it. */
async function removeOne(
  { metadata }: V1Secret,
  revision_id: string,
  { cluster, stop, log }: SweepOptions,
): Promise<void> {
  if (await stop(revision_id)) return
  const { name = '', namespace = '' } = metadata ?? {}
  const ref = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
  await cluster.remove(ref).catch((error: unknown) => {
    if (!(error instanceof ClusterRefusal)) throw error
    log.warn({ err: error, revision_id }, 'Objects of a deployment that is gone stay.')
  })
}
