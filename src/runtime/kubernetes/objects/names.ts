/** How the objects of a revision are called and labelled. */
import type { V1ObjectMeta, V1OwnerReference } from '@kubernetes/client-node'

/** Of every object. The driver finds what is there by them. */
export const LABEL = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  installation: 'runyard/installation',
  /** Whose record it is in; nobody else removes it, whatever the installation is called. */
  record: 'runyard/record',
  deployment: 'runyard/deployment',
  revision: 'runyard/revision',
  component: 'app.kubernetes.io/component',
  /** In place of `revision`, on what builds one. */
  build: 'runyard/build',
} as const

export const ANNOTATION = {
  /** The deployment's name, for people. */
  deploymentName: 'runyard/deployment-name',
  /** On the Deployment: why the revision has failed, which is over when the annotation is. */
  failure: 'runyard/failure',
  /** On the Deployment: it was healthy once, so that what goes wrong from now on is no failed start. */
  wasHealthy: 'runyard/was-healthy',
  /** On the Secret: whether the agent server takes part in the link. */
  link: 'runyard/link',
  /** On a pod that is to end: it is no endpoint any more. */
  retired: 'runyard/retired',
  /** On a pod: a change of it has the kubelet write the Secret into the pod anew. */
  role: 'runyard/role',
  /** On the Job of a build: the commit that it builds. */
  commit: 'runyard/commit',
} as const

/** The names of all objects of a revision begin so; no container may mount another one's Secret. */
export const NAME_PREFIX = 'agent-'

/** Which revision objects belong to. */
export interface RevisionIdentity {
  revision_id: string
  deployment_id: string
  deployment_name: string
  installation: string
  /** `undefined`: it is told to nobody. */
  record: string | undefined
  namespace: string
}

export function objectName(revision_id: string): string {
  return `${NAME_PREFIX}${revision_id}`
}

/** The namespace of a workspace. Throws nothing: what is no name is refused with the settings. */
export function namespaceFor(pattern: string, workspace_id: string): string {
  return pattern.replace('{workspace_id}', workspace_id)
}

export function selectorLabels({ revision_id }: Pick<RevisionIdentity, 'revision_id'>) {
  return { [LABEL.revision]: revision_id }
}

export function labelsOf(revision: RevisionIdentity): Record<string, string> {
  return {
    [LABEL.name]: 'runyard-agent',
    [LABEL.managedBy]: 'runyard',
    [LABEL.installation]: revision.installation,
    ...(revision.record !== undefined && { [LABEL.record]: revision.record }),
    [LABEL.deployment]: revision.deployment_id,
    [LABEL.revision]: revision.revision_id,
  }
}

/** What an object of the revision is called, and to which object's end it is bound. */
export function metadataOf(revision: RevisionIdentity, owner?: V1OwnerReference): V1ObjectMeta {
  return {
    name: objectName(revision.revision_id),
    namespace: revision.namespace,
    labels: labelsOf(revision),
    annotations: { [ANNOTATION.deploymentName]: revision.deployment_name },
    ...(owner && { ownerReferences: [owner] }),
  }
}
