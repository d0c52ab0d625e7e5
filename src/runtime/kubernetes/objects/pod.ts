/** The pods of a revision: an agent server, a container that first fetches its project, and its author's additions. */
import { dirname } from 'node:path/posix'
import type {
  V1Container,
  V1EnvVar,
  V1PodTemplateSpec,
  V1Probe,
  V1ResourceRequirements,
} from '@kubernetes/client-node'
import type { Artifact } from '../../../core/deployment/artifacts/artifact.ts'
import { RUNTIME_PROBE_PATH } from '../../../core/deployment/internal-requests.ts'
import type { KubernetesSettings } from '../../../core/deployment/kubernetes-settings.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { ArtifactAddress } from '../../runtime-parts.ts'
import { serveArguments } from '../../start-message.ts'
import { type PodAdditions, readAdditions } from './containers.ts'
import { labelsOf, metadataOf, objectName, type RevisionIdentity } from './names.ts'
import { ADDRESS_KEY, pullSecretName, START_KEY } from './secret.ts'
import { containerSecurity, podSecurity } from './security.ts'

/** The container that is the agent server. */
export const AGENT = 'agent'
/** The container that fetches its project. */
const FETCH = 'fetch'
export const PORT = 8000
export const PORT_NAME = 'http'
export const PROJECT_DIR = '/project'
const START_FILE = `/run/runyard/${START_KEY}`
const DATA_DIR = '/tmp/runyard'
/**
 * How long a deleted pod keeps answering before it is asked to end, in s: callers that have just chosen it still reach
 * it.
 */
const LINGER_SECONDS = 2

export interface PodTerms {
  artifact: Artifact
  resource_spec: JsonObject | null
  /** Whether the agent server reads the start file and takes part in the link. */
  isLinked: boolean
  /** The names of the project's variables, for an agent server that takes them from its environment. */
  variables: readonly string[]
  /** Further variables, of the operator. */
  env: Readonly<Record<string, string>>
  address: ArtifactAddress | undefined
  /** Whether there is a login for the image. */
  hasPullSecret: boolean
  /** How long an agent server may take to end, in s: as long as it may take to drain. */
  graceSeconds: number
  settings: Pick<KubernetesSettings, 'image' | 'allow'>
}

/** Throws `bad_request` for settings that `resource_spec` may not have. */
export function buildPodTemplate(revision: RevisionIdentity, terms: PodTerms): V1PodTemplateSpec {
  const { settings, artifact, graceSeconds } = terms
  const additions = readAdditions(terms.resource_spec, settings.allow)
  const { annotations } = metadataOf(revision)
  const mayBeAnyUser = artifact.kind === 'image' && settings.allow.includes('any_user')
  const { serviceAccountName, sidecars } = additions
  const own = terms.hasPullSecret ? [{ name: pullSecretName(revision) }] : []
  const imagePullSecrets = [...own, ...additions.imagePullSecrets]
  return {
    metadata: {
      labels: { ...additions.labels, ...labelsOf(revision) },
      annotations: { ...additions.annotations, ...annotations },
    },
    spec: {
      automountServiceAccountToken: serviceAccountName !== undefined,
      ...(serviceAccountName !== undefined && { serviceAccountName }),
      enableServiceLinks: false,
      securityContext: podSecurity(mayBeAnyUser),
      terminationGracePeriodSeconds: graceSeconds,
      ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
      volumes: volumesOf(revision, additions),
      initContainers: [...fetchOf(revision, terms), ...additions.initContainers],
      containers: [agentOf(revision, terms, additions), ...sidecars],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'runyard/revision': revision.revision_id } },
        },
      ],
    },
  }
}

function volumesOf({ revision_id }: RevisionIdentity, { volumes }: PodAdditions) {
  return [
    {
      name: 'start',
      secret: { secretName: objectName(revision_id), defaultMode: 0o440 },
    },
    { name: 'project', emptyDir: {} },
    { name: 'tmp', emptyDir: {} },
    ...volumes,
  ]
}

function fetchOf(revision: RevisionIdentity, terms: PodTerms): V1Container[] {
  const { artifact, address, settings } = terms
  if (artifact.kind !== 'folder' || !address) return []
  const secretKeyRef = { name: objectName(revision.revision_id), key: ADDRESS_KEY }
  const { cpu = '50m' } = resourcesOf(terms.resource_spec).requests ?? {}
  return [
    {
      name: FETCH,
      // The image of the agent server, whose Python the environment has to find.
      image: artifact.image_uri ?? settings.image,
      imagePullPolicy: 'IfNotPresent',
      args: ['artifact', 'fetch', '--into', PROJECT_DIR],
      env: [
        { name: 'RUNYARD_ARTIFACT_URL', valueFrom: { secretKeyRef } },
        { name: 'RUNYARD_ARTIFACT_DIGEST', value: address.digest },
      ],
      // Unpacking takes processor time before the first answer, so it requests as much as the agent server. It costs no
      // room: a pod reserves the larger of what its init containers and its others request.
      resources: { requests: { cpu, memory: '128Mi' } },
      volumeMounts: [
        { name: 'project', mountPath: PROJECT_DIR },
        { name: 'tmp', mountPath: '/tmp' },
      ],
      securityContext: containerSecurity(true),
    },
  ]
}

function agentOf(
  revision: RevisionIdentity,
  terms: PodTerms,
  { volumeMounts }: PodAdditions,
): V1Container {
  const { artifact, settings, isLinked } = terms
  // An image brings its own project and working folder.
  const isFolder = artifact.kind === 'folder'
  const configPath = isFolder ? `${PROJECT_DIR}/${artifact.config_path}` : undefined
  return {
    name: AGENT,
    image: artifact.image_uri ?? settings.image,
    imagePullPolicy: 'IfNotPresent',
    ...(isLinked && {
      args: serveArguments(configPath, { host: '0.0.0.0', port: PORT, dataDir: DATA_DIR }),
    }),
    ...(configPath !== undefined && { workingDir: dirname(configPath) }),
    env: variablesOf(revision, terms),
    ports: [{ name: PORT_NAME, containerPort: PORT, protocol: 'TCP' }],
    resources: resourcesOf(terms.resource_spec),
    ...probesOf(isLinked),
    lifecycle: { preStop: { sleep: { seconds: LINGER_SECONDS } } },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      ...(isLinked ? [{ name: 'start', mountPath: '/run/runyard', readOnly: true }] : []),
      ...(isFolder ? [{ name: 'project', mountPath: PROJECT_DIR, readOnly: true }] : []),
      { name: 'tmp', mountPath: '/tmp' },
      ...volumeMounts,
    ],
    securityContext: containerSecurity(isLinked),
  }
}

/** An agent server that reads its secrets from the start file gets none as variables. */
function variablesOf(
  revision: RevisionIdentity,
  { isLinked, variables, env }: PodTerms,
): V1EnvVar[] {
  const name = objectName(revision.revision_id)
  const given = Object.entries(env).map(([key, value]) => ({ name: key, value }))
  const secrets = variables.map((key) => ({
    name: key,
    valueFrom: { secretKeyRef: { name, key } },
  }))
  return [
    ...given,
    { name: 'PORT', value: String(PORT) },
    ...(isLinked ? [{ name: 'RUNYARD_START_FILE', value: START_FILE }] : secrets),
  ]
}

/**
 * Readiness is checked every second, and hanging as in the process driver. The driver limits the time to the first
 * answer, so the start probe allows an hour.
 */
function probesOf(
  isLinked: boolean,
): Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', V1Probe> {
  const httpGet = { path: isLinked ? RUNTIME_PROBE_PATH : '/ok', port: PORT_NAME }
  return {
    startupProbe: { httpGet, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3600 },
    readinessProbe: { httpGet, periodSeconds: 2, timeoutSeconds: 10, failureThreshold: 3 },
    livenessProbe: { httpGet, periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 3 },
  }
}

/** Reserved for an agent server without values of its own. */
const DEFAULT_CPU = 0.1
const DEFAULT_MEMORY_MB = 256

/**
 * `cpu` and `memory_mb` are reserved for it; its limits are `cpu_limit` and `memory_limit_mb`, by default twice as
 * much, or none if neither is set.
 */
export function resourcesOf(resource_spec: JsonObject | null): V1ResourceRequirements {
  const read = (name: string) => numberOf(resource_spec?.[name])
  const cpu = read('cpu')
  const memoryMb = read('memory_mb')
  const cpuLimit = read('cpu_limit') ?? twice(cpu)
  const memoryLimitMb = read('memory_limit_mb') ?? twice(memoryMb)
  return {
    requests: {
      cpu: cores(Math.min(cpu ?? DEFAULT_CPU, cpuLimit ?? Number.POSITIVE_INFINITY)),
      memory: mebibytes(
        Math.min(memoryMb ?? DEFAULT_MEMORY_MB, memoryLimitMb ?? Number.POSITIVE_INFINITY),
      ),
    },
    limits: {
      ...(cpuLimit !== undefined && { cpu: cores(cpuLimit) }),
      ...(memoryLimitMb !== undefined && { memory: mebibytes(memoryLimitMb) }),
    },
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

function twice(value: number | undefined): number | undefined {
  return value === undefined ? undefined : 2 * value
}

function cores(count: number): string {
  return `${Math.round(count * 1000)}m`
}

function mebibytes(count: number): string {
  return `${count}Mi`
}
