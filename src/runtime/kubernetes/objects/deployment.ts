/** The Deployment of a revision. Its template never changes: a new revision has a Deployment of its own. */
import type { V1Deployment, V1OwnerReference } from '@kubernetes/client-node'
import { metadataOf, type RevisionIdentity, selectorLabels } from './names.ts'
import { buildPodTemplate, type PodTerms } from './pod.ts'

/** Throws `bad_request` for settings that `resource_spec` may not have. */
export function buildDeployment(
  revision: RevisionIdentity,
  owner: V1OwnerReference,
  terms: PodTerms & { replicas: number },
): V1Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(revision, owner),
    spec: {
      replicas: terms.replicas,
      revisionHistoryLimit: 1,
      selector: { matchLabels: selectorLabels(revision) },
      // A pod that is lost is replaced before another one ends.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: buildPodTemplate(revision, terms),
    },
  }
}
