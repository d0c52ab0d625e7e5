/** The Deployment of a revision and the objects that belong to its pods: Service, disruption budget and autoscaler. */
import type {
  V1Deployment,
  V1OwnerReference,
  V1PodDisruptionBudget,
  V1Service,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node'
import { metadataOf, objectName, type RevisionIdentity, selectorLabels } from './names.ts'
import { buildPodTemplate, PORT_NAME, type PodTerms } from './pod.ts'

/** How many threads may wait for each pod before there is one more. */
const WAITING_PER_POD = '1'
/** How long there must be room before a pod is removed, as in Runyard's own scaling, in s. */
const CALM_SECONDS = 60
const QUEUE_METRIC = 'runyard_runs_waiting'

/**
 * Its template never changes: a new revision has a Deployment of its own. Throws `bad_request` for settings that
 * `resource_spec` may not have.
 */
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

/** A stable name for its pods. Runyard's own gateway speaks to the pods themselves. */
export function buildService(revision: RevisionIdentity, owner: V1OwnerReference): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(revision, owner),
    spec: {
      type: 'ClusterIP',
      selector: selectorLabels(revision),
      ports: [{ name: PORT_NAME, port: 80, targetPort: PORT_NAME, protocol: 'TCP' }],
    },
  }
}

/**
 * Lets a drained node take away one pod at a time, so that of several the others serve. A single pod may be evicted
 * too: a budget that forbids it would keep nodes from being drained.
 */
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
