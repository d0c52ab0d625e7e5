/** Looks at the start whether the cluster can run agent servers, rather than at the first deploy. */
import { access } from 'node:fs/promises'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { agentNamespace } from './apply.ts'
import { type Cluster, ClusterRefusal, openCluster } from './cluster.ts'
import { selectorOf } from './objects/names.ts'

/** The token with which a pod asks its cluster. */
const OWN_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'
/** Time limit for an answer of the API, in ms. A cluster that is away is waited for later, while pods go on. */
const LIMIT_MS = 10_000

/**
 * Creates the namespace if it is missing. Throws `bad_request`, with the setting to change, if no cluster is named, it
 * does not know this process, or the namespace is missing and may not be created.
 */
export async function requireCluster(settings: KubernetesSettings, log: Log): Promise<void> {
  const cluster = await open(settings, log)
  const late = setTimeout(() => cluster.stop(), LIMIT_MS)
  try {
    await requireNamespace(cluster, settings, log)
  } finally {
    clearTimeout(late)
    cluster.stop()
  }
}

async function open(settings: KubernetesSettings, log: Log): Promise<Cluster> {
  const { kubeconfig } = settings
  const path = kubeconfig ?? OWN_TOKEN
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere && kubeconfig === undefined) {
    const what = 'RUNYARD_RUNTIME is kubernetes, and this process runs in no pod of a cluster'
    throw new AppError('bad_request', `${what}. Name the file of a cluster in RUNYARD_KUBECONFIG.`)
  }
  if (!isThere) throw refusal(`RUNYARD_KUBECONFIG: ${path} cannot be read`)
  return openCluster(settings, log).catch((cause: unknown) => {
    throw refusal(`RUNYARD_KUBECONFIG: ${path} is no configuration of a cluster: ${cause}`)
  })
}

/** Namespaces of workspaces are created with their first pod. */
async function requireNamespace(
  cluster: Cluster,
  { namespace }: KubernetesSettings,
  log: Log,
): Promise<void> {
  if (namespace.includes('{workspace_id}')) return
  const object = agentNamespace(namespace)
  const ref = { ...object, metadata: { name: namespace, namespace: '' } }
  try {
    if (await cluster.read(ref)) return
    await cluster.apply(object)
    log.info({ namespace }, 'The namespace for agents was missing; it is made.')
  } catch (error) {
    if (!(error instanceof ClusterRefusal)) {
      log.warn({ err: error }, 'The Kubernetes API does not answer yet.')
    } else if (error.code === 401) {
      throw refusal(`RUNYARD_KUBECONFIG: the cluster does not know this user: ${error.message}`)
    } else {
      await requireSight(cluster, namespace, error)
    }
  }
}

/** A process that may not read namespaces may have all rights that it needs within one. */
async function requireSight(
  cluster: Cluster,
  namespace: string,
  { message }: ClusterRefusal,
): Promise<void> {
  const secrets = { apiVersion: 'v1', kind: 'Secret', selector: selectorOf({}) }
  const isSeen = await cluster.list(secrets).then(
    () => true,
    () => false,
  )
  if (isSeen) return
  throw refusal(
    `RUNYARD_KUBERNETES_NAMESPACE: the namespace ${namespace} is not there, or not for this user, and cannot be made: ` +
      `${message}. Run "kubectl create namespace ${namespace}", or name another one`,
  )
}

function refusal(sentence: string): AppError {
  return new AppError('bad_request', `${sentence}.`)
}
