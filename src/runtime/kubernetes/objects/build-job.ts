/**
 * The build of a revision as a Job, with its task and its network policy. The Job owns the rest, so that the cluster
 * removes all of it together, at the latest an hour after its end.
 */
import type {
  V1Container,
  V1Job,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1OwnerReference,
  V1PodSpec,
  V1Secret,
} from '@kubernetes/client-node'
import type { BuildJobLimits, BuildTask } from '../../../core/deployment/builds/job.ts'
import {
  ANNOTATION,
  encoded,
  LABEL,
  NAME_PREFIX,
  ownLabels,
  type RevisionIdentity,
} from './names.ts'
import { EGRESS } from './network-policy.ts'
import { containerSecurity, podSecurity } from './security.ts'

/** Which revision is built. */
type BuildIdentity = Omit<RevisionIdentity, 'deployment_name'>

/** The container that builds. */
export const BUILD = 'build'
/** The label by which all Jobs of builds, and their pods, are found. */
export const BUILD_COMPONENT = 'build'
const TASK_KEY = 'build.json'
const TASK_DIR = '/run/runyard'
const WORK_DIR = '/project'
/** The file from which the kubelet reads a container's last message, up to 4096 bytes of it. */
const SAID_FILE = '/dev/termination-log'
/** How long a Job that has ended is kept for a control plane that is away, in s. */
const KEPT_SECONDS = 3600
/** Time for a build beside its commands: packages of Node and Python, bundling, packing, sending; in s. */
const BESIDE_COMMANDS_SECONDS = 900
/** Memory for Runyard itself beside the command that it runs, in MiB. */
const OWN_MEMORY_MIB = 512
const DISK = '20Gi'
const MIB = 1024 ** 2

/** The name of all its objects; no container of a deployment may mount a Secret of this name. */
export function buildName(revision_id: string): string {
  return `${NAME_PREFIX}build-${revision_id}`
}

/** Time limit for a whole build, in s: its two commands, and the work beside them. */
export function deadlineSeconds({ commandMs }: Pick<BuildJobLimits, 'commandMs'>): number {
  return Math.ceil((2 * commandMs) / 1000) + BESIDE_COMMANDS_SECONDS
}

/** It is suspended: its pod may start when the policy and the Secret exist too. */
export function buildJobObject(
  build: BuildIdentity,
  { image, limits, commit }: { image: string; limits: BuildJobLimits; commit: string | null },
): V1Job {
  const metadata = metadataOf(build)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...metadata,
      ...(commit !== null && { annotations: { [ANNOTATION.commit]: commit } }),
    },
    spec: {
      suspend: true,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: deadlineSeconds(limits),
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels: metadata.labels ?? {} },
        spec: podOf(build, image, limits),
      },
    },
  }
}

/** The build's task. */
export function buildJobSecret(
  build: BuildIdentity,
  owner: V1OwnerReference,
  task: BuildTask,
): V1Secret {
  const data = { [TASK_KEY]: encoded(JSON.stringify(task)) }
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    ...{ metadata: metadataOf(build, owner), data },
  }
}

/**
 * No incoming connections; outgoing ones to package registries, the store and the control plane, as for agent servers.
 */
export function buildJobPolicy(build: BuildIdentity, owner: V1OwnerReference): V1NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(build, owner),
    spec: {
      podSelector: { matchLabels: { [LABEL.build]: build.revision_id } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: EGRESS,
    },
  }
}

function metadataOf(build: BuildIdentity, owner?: V1OwnerReference): V1ObjectMeta {
  const { revision_id, namespace } = build
  return {
    name: buildName(revision_id),
    namespace,
    labels: {
      [LABEL.name]: 'runyard-build',
      [LABEL.component]: BUILD_COMPONENT,
      ...ownLabels(build),
      [LABEL.build]: revision_id,
    },
    ...(owner && { ownerReferences: [owner] }),
  }
}

function podOf({ revision_id }: BuildIdentity, image: string, limits: BuildJobLimits): V1PodSpec {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(false),
    terminationGracePeriodSeconds: 5,
    volumes: [
      { name: 'task', secret: { secretName: buildName(revision_id), defaultMode: 0o440 } },
      { name: 'project', emptyDir: { sizeLimit: DISK } },
      { name: 'tmp', emptyDir: { sizeLimit: DISK } },
    ],
    containers: [containerOf(image, limits)],
  }
}

function containerOf(image: string, { cpus, maxMemoryBytes }: BuildJobLimits): V1Container {
  const task = `${TASK_DIR}/${TASK_KEY}`
  const memoryMib = Math.ceil(maxMemoryBytes / MIB) + OWN_MEMORY_MIB
  return {
    name: BUILD,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['artifact', 'build', '--task', task, '--in', WORK_DIR, '--said', SAID_FILE],
    env: [{ name: 'TMPDIR', value: '/tmp' }],
    resources: {
      requests: {
        cpu: `${Math.round(Math.min(cpus, 0.25) * 1000)}m`,
        memory: `${OWN_MEMORY_MIB}Mi`,
        'ephemeral-storage': '1Gi',
      },
      limits: {
        cpu: `${Math.round(cpus * 1000)}m`,
        memory: `${memoryMib}Mi`,
        'ephemeral-storage': DISK,
      },
    },
    terminationMessagePath: SAID_FILE,
    volumeMounts: [
      { name: 'task', mountPath: TASK_DIR, readOnly: true },
      { name: 'project', mountPath: WORK_DIR },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    securityContext: containerSecurity(true),
  }
}
