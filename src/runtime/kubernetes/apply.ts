/** Applies objects to the cluster; its refusals become a sentence. */
import type { KubernetesObject } from '@kubernetes/client-node'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import { AppError } from '../../core/errors.ts'
import { type Cluster, ClusterRefusal } from './cluster.ts'

/** `whose`: the revision, or its build. Throws `bad_request`. */
export async function applied<T extends KubernetesObject>(
  cluster: Cluster,
  object: T,
  whose = 'revision',
): Promise<T> {
  try {
    return await cluster.apply(object)
  } catch (error) {
    if (!(error instanceof ClusterRefusal)) throw error
    const what = `Kubernetes refuses the ${object.kind} of the ${whose}`
    throw new AppError('bad_request', `${what}: ${error.message}.`)
  }
}

/** Creates a workspace's namespace with its first pod; the operator's exists since the start (`require-cluster.ts`). */
export async function ensureNamespace(
  name: string,
  cluster: Cluster,
  settings: Pick<KubernetesSettings, 'namespace'>,
): Promise<void> {
  if (!settings.namespace.includes('{workspace_id}')) return
  const ref = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, namespace: '' } }
  if (await cluster.read(ref)) return
  await applied(cluster, agentNamespace(name))
}

/** A namespace for agents, held to the security standard that their pods keep. */
export function agentNamespace(name: string) {
  const labels = {
    'app.kubernetes.io/managed-by': 'runyard',
    'pod-security.kubernetes.io/enforce': 'restricted',
  }
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
}
