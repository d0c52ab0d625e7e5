/** The HorizontalPodAutoscaler to which the operator leaves the number of pods. */
import type { V1OwnerReference, V2HorizontalPodAutoscaler } from '@kubernetes/client-node'
import { metadataOf, objectName, type RevisionIdentity } from './names.ts'

/** How many threads may wait for each pod before there is one more. */
const WAITING_PER_POD = '1'
/** How long there must be room before a pod is removed, as in Runyard's own scaling, in s. */
const CALM_SECONDS = 60

/**
 * Scales by the queue in the agent servers' metrics. The cluster needs an adapter that provides `runyard_runs_waiting`
 * of pods in the API `custom.metrics.k8s.io`.
 */
export function buildAutoscaler(
  revision: RevisionIdentity,
  owner: V1OwnerReference,
  { min, max }: { min: number; max: number },
): V2HorizontalPodAutoscaler {
  const target = { type: 'AverageValue', averageValue: WAITING_PER_POD }
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadataOf(revision, owner),
    spec: {
      scaleTargetRef: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: objectName(revision.revision_id),
      },
      minReplicas: Math.max(1, min),
      maxReplicas: Math.max(1, min, max),
      metrics: [{ type: 'Pods', pods: { metric: { name: QUEUE_METRIC }, target } }],
      behavior: {
        scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] },
        scaleDown: {
          stabilizationWindowSeconds: CALM_SECONDS,
          policies: [{ type: 'Pods', value: 1, periodSeconds: CALM_SECONDS }],
        },
      },
    },
  }
}

const QUEUE_METRIC = 'runyard_runs_waiting'
