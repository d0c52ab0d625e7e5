/** Names and labels of a revision's objects. */
import type { KubernetesObject, V1ObjectMeta, V1OwnerReference } from '@kubernetes/client-node'

/** Labels of every object, by which the driver finds it. */
export const LABEL = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  installation: 'runyard/installation',
  /** The record that the object is in; no other removes it, whatever the installation is called. */
  record: 'runyard/record',
  deployment: 'runyard/deployment',
  revision: 'runyard/revision',
  component: 'app.kubernetes.io/component',
  /** In place of `revision`, on the objects of a build. */
  build: 'runyard/build',
} as const

export const ANNOTATION = {
  /** The deployment's name, for people. */
  deploymentName: 'runyard/deployment-name',
  /** On the Deployment: why the revision has failed, which is over when the annotation is. */
  failure: 'runyard/failure',
  /** On the Deployment: it was healthy once, so that later faults are no failed start. */
  wasHealthy: 'runyard/was-healthy',
  /** On the Secret: whether the agent server takes part in the link. */
  link: 'runyard/link',
  /** On a pod that is to end: it is no endpoint any more. */
  retired: 'runyard/retired',
  /** On a pod: a change of it makes the kubelet write the Secret into the pod again. */
  role: 'runyard/role',
  /** On the Job of a build: the commit that it builds. */
  commit: 'runyard/commit',
} as const

/** The names of all objects of a revision begin with it; no container may mount another one's Secret. */
export const NAME_PREFIX = 'agent-'

/** The revision that objects belong to. */
export interface RevisionIdentity {
  revision_id: string
  deployment_id: string
  deployment_name: string
  installation: string
  /** `undefined`: there is no record. */
  record: string | undefined
  namespace: string
}

export function objectName(revision_id: string): string {
  return `${NAME_PREFIX}${revision_id}`
}

/** The namespace of a workspace. Does not throw: the settings refuse malformed names. */
export function namespaceFor(pattern: string, workspace_id: string): string {
  return pattern.replace('{workspace_id}', workspace_id)
}

export function selectorLabels({ revision_id }: Pick<RevisionIdentity, 'revision_id'>) {
  return { [LABEL.revision]: revision_id }
}

export function labelsOf(revision: RevisionIdentity): Record<string, string> {
  return {
    [LABEL.name]: 'runyard-agent',
    ...ownLabels(revision),
    [LABEL.revision]: revision.revision_id,
  }
}

/** The labels of every object of ours. */
export function ownLabels(
  owner: Pick<RevisionIdentity, 'installation' | 'record' | 'deployment_id'>,
): Record<string, string> {
  return {
    [LABEL.managedBy]: 'runyard',
    [LABEL.installation]: owner.installation,
    ...(owner.record !== undefined && { [LABEL.record]: owner.record }),
    [LABEL.deployment]: owner.deployment_id,
  }
}

/** Selects our objects with these labels. */
export function selectorOf(labels: Record<string, string>): string {
  const all = Object.entries({ [LABEL.managedBy]: 'runyard', ...labels })
  return all.map(([name, value]) => `${name}=${value}`).join(',')
}

/** The reference of an applied object to which others belong: the cluster removes them with it. */
export function ownerOf({
  apiVersion = '',
  kind = '',
  metadata,
}: KubernetesObject): V1OwnerReference {
  const { name = '', uid = '' } = metadata ?? {}
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }
}

/** A value of a Secret. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** The metadata of an object of the revision, which is removed with its owner. */
export function metadataOf(revision: RevisionIdentity, owner?: V1OwnerReference): V1ObjectMeta {
  return {
    name: objectName(revision.revision_id),
    namespace: revision.namespace,
    labels: labelsOf(revision),
    annotations: { [ANNOTATION.deploymentName]: revision.deployment_name },
    ...(owner && { ownerReferences: [owner] }),
  }
}
