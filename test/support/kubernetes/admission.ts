/** What a real API server refuses although the schema allows it. */
import { type KubernetesObject, schemaProblems } from './schema.ts'

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/
const LABEL_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_VALUE = /^(|[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$/
const QUALIFIED =
  /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const QUANTITY = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/

interface Container {
  name: string
  image?: string
  env?: { name: string }[]
  ports?: { name?: string; containerPort: number }[]
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  volumeMounts?: { name: string; mountPath: string }[]
  securityContext?: Record<string, unknown> & { capabilities?: { drop?: string[]; add?: string[] } }
}

interface PodSpec {
  containers: Container[]
  initContainers?: Container[]
  volumes?: (Record<string, unknown> & { name: string })[]
  securityContext?: Record<string, unknown> & { seccompProfile?: { type?: string } }
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
}

/** With `before`: what may not change either. */
export function problemsOf(
  object: KubernetesObject,
  before: KubernetesObject | undefined,
): string[] {
  return [
    ...schemaProblems(object),
    ...nameProblems(object),
    ...podProblems(object),
    ...immutableProblems(object, before),
  ]
}

function nameProblems({ kind, metadata }: KubernetesObject): string[] {
  const { name, labels = {}, annotations = {} } = metadata
  const pattern = kind === 'Service' || kind === 'Namespace' ? LABEL_NAME : NAME
  const longest = kind === 'Service' || kind === 'Namespace' ? 63 : 253
  const size = JSON.stringify(annotations).length
  return [
    ...(pattern.test(name) && name.length <= longest
      ? []
      : [`metadata.name: "${name}" is invalid`]),
    ...Object.entries(labels).flatMap(([key, value]) =>
      QUALIFIED.test(key) && LABEL_VALUE.test(value) ? [] : [`metadata.labels: ${key}=${value}`],
    ),
    ...Object.keys(annotations).flatMap((key) =>
      QUALIFIED.test(key) ? [] : [`metadata.annotations: ${key}`],
    ),
    ...(size > 256 * 1024 ? ['metadata.annotations: too long'] : []),
  ]
}

function immutableProblems(
  object: KubernetesObject,
  before: KubernetesObject | undefined,
): string[] {
  if (!before) return []
  const fields = { Deployment: ['selector'], Job: ['template'], Service: ['clusterIP'] }
  const names = (fields as Record<string, string[]>)[object.kind] ?? []
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  return [
    ...names.flatMap((name) =>
      isSame(before.spec?.[name], object.spec?.[name]) ? [] : [`spec.${name}: field is immutable`],
    ),
    ...(object.kind === 'Secret' && object.type !== before.type
      ? ['type: field is immutable']
      : []),
  ]
}

function podProblems({ kind, spec, metadata }: KubernetesObject): string[] {
  if (kind !== 'Deployment' && kind !== 'Job' && kind !== 'Pod') return []
  const template = spec?.template as { metadata?: { labels?: object }; spec: PodSpec } | undefined
  const pod = template?.spec ?? (spec as unknown as PodSpec)
  const selector = (spec?.selector as { matchLabels?: Record<string, string> })?.matchLabels ?? {}
  const labels = { ...(template?.metadata?.labels ?? metadata.labels) } as Record<string, string>
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value)
  const volumes = (pod.volumes ?? []).map(({ name }) => name)
  const all = [...(pod.initContainers ?? []), ...pod.containers]
  const names = all.map(({ name }) => name)
  return [
    ...(matches ? [] : ['spec.template.metadata.labels: `selector` does not match']),
    ...(new Set(names).size === names.length ? [] : ['containers: Duplicate value']),
    ...(new Set(volumes).size === volumes.length ? [] : ['volumes: Duplicate value']),
    ...all.flatMap((one) => containerProblems(one, volumes)),
  ]
}

function containerProblems(container: Container, volumes: string[]): string[] {
  const { name, image, env = [], ports = [], resources = {}, volumeMounts = [] } = container
  const quantities = Object.entries({ ...resources.requests, ...resources.limits })
  const paths = volumeMounts.map(({ mountPath }) => mountPath)
  return [
    ...(LABEL_NAME.test(name) && name.length <= 63 ? [] : [`containers: name "${name}"`]),
    ...(image ? [] : [`containers[${name}].image: Required value`]),
    ...env.flatMap((one) => (/^[^=]+$/.test(one.name) ? [] : [`env: name "${one.name}"`])),
    ...ports.flatMap((one) => ((one.name ?? '').length <= 15 ? [] : [`ports: name "${one.name}"`])),
    ...quantities.flatMap(([key, value]) => (QUANTITY.test(value) ? [] : [`${key}: ${value}`])),
    ...volumeMounts.flatMap((one) =>
      volumes.includes(one.name) ? [] : [`volumeMounts: Not found: "${one.name}"`],
    ),
    ...(new Set(paths).size === paths.length ? [] : ['mountPath: must be unique']),
    ...Object.entries(resources.requests ?? {}).flatMap(([key, value]) => {
      const limit = resources.limits?.[key]
      return limit !== undefined && numberOf(value) > numberOf(limit)
        ? [`requests.${key}: must be less than or equal to ${key} limit`]
        : []
    }),
  ]
}

/** Of those quantities that Runyard writes. */
function numberOf(quantity: string): number {
  return Number.parseFloat(quantity) * (quantity.endsWith('m') ? 0.001 : 1)
}

/** The pod security standard "restricted"; none: the pod keeps to it. */
export function restrictedProblems(pod: PodSpec): string[] {
  const containers = [...(pod.initContainers ?? []), ...pod.containers]
  const allowed = [
    ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim'],
    ...['projected', 'secret', 'name'],
  ]
  const { seccompProfile, runAsNonRoot, runAsUser } = pod.securityContext ?? {}
  return [
    ...(pod.hostNetwork || pod.hostPID || pod.hostIPC ? ['host namespaces'] : []),
    ...(seccompProfile?.type === 'RuntimeDefault' ? [] : ['seccompProfile']),
    ...(runAsNonRoot === true ? [] : ['runAsNonRoot != true']),
    ...(runAsUser === 0 ? ['runAsUser=0'] : []),
    ...(pod.volumes ?? []).flatMap((volume) =>
      Object.keys(volume).every((key) => allowed.includes(key)) ? [] : ['restricted volume types'],
    ),
    ...containers.flatMap(({ securityContext = {} }) => [
      ...(securityContext.allowPrivilegeEscalation === false ? [] : ['allowPrivilegeEscalation']),
      ...(securityContext.privileged === true ? ['privileged'] : []),
      ...(securityContext.capabilities?.drop?.includes('ALL') ? [] : ['unrestricted capabilities']),
      ...(securityContext.runAsNonRoot === false || securityContext.runAsUser === 0
        ? ['root']
        : []),
    ]),
  ]
}
