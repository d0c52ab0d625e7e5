/** Lets a drained node take away one pod at a time, so that of several the others serve. */
import type { V1OwnerReference, V1PodDisruptionBudget } from '@kubernetes/client-node'
import { metadataOf, type RevisionIdentity, selectorLabels } from './names.ts'

/** A single pod may be evicted too: a budget that forbids it would keep nodes from being drained. */
export function buildDisruptionBudget(
  revision: RevisionIdentity,
  owner: V1OwnerReference,
): V1PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(revision, owner),
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: selectorLabels(revision) },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  }
}
