/** `resource_spec`'s containers and volumes, as far as the operator allows them; refusals say why. */
import type {
  V1Container,
  V1LocalObjectReference,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node'
import type { Allowance } from '../../../core/deployment/kubernetes-settings.ts'
import { AppError } from '../../../core/errors.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import { NAME_PREFIX } from './names.ts'
import { containerSecurity } from './security.ts'

/** The parts that a project's author may add to the pods of an agent server. */
export interface PodAdditions {
  labels: Record<string, string>
  annotations: Record<string, string>
  serviceAccountName: string | undefined
  imagePullSecrets: V1LocalObjectReference[]
  volumes: V1Volume[]
  volumeMounts: V1VolumeMount[]
  initContainers: V1Container[]
  sidecars: V1Container[]
}

/** Our own volumes: no other container mounts them, and no other volume has their names. */
const OWN_VOLUMES = ['start', 'project', 'tmp'] as const
/** Our own containers of the pod. */
const OWN_CONTAINERS = ['agent', 'fetch'] as const
/** Where our volumes are mounted in the agent server's container. */
const OWN_PATHS = ['/run/runyard', '/project', '/tmp']

/** Kinds of volumes, and what the operator has to allow for each. */
const VOLUME_KINDS: Readonly<Record<string, Allowance | undefined>> = {
  configMap: undefined,
  downwardAPI: undefined,
  emptyDir: undefined,
  persistentVolumeClaim: undefined,
  secret: undefined,
  csi: 'csi',
  hostPath: 'host_path',
  nfs: 'nfs',
  projected: 'projected',
}
const CONTAINER_MEMBERS = [
  ...['name', 'image', 'imagePullPolicy', 'command', 'args', 'workingDir', 'env', 'envFrom'],
  ...['resources', 'volumeMounts', 'securityContext', 'restartPolicy'],
]
const SECURITY_MEMBERS = ['runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem']
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const DOTTED_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/
const LABEL_VALUE = /^(|[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$/
const LABEL_KEY = /^([a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
/** Labels and annotations by which Runyard, the cluster and its policies distinguish pods. */
const RESERVED_KEY = /^(runyard|([-a-z0-9.]+\.)?(kubernetes|k8s)\.io)\//

/** Throws `bad_request` with a sentence that names the field and what to do. */
export function readAdditions(
  resource_spec: JsonObject | null,
  allow: readonly Allowance[],
): PodAdditions {
  const spec = withoutNulls(resource_spec ?? {}) as JsonObject
  const volumes = listOf(spec, 'volumes').map((one, at) => readVolume(one, at, allow))
  const names = volumes.map(({ name }) => name)
  const mounts = listOf(spec, 'volume_mounts').map((one, at) =>
    readMount(one, { at: `volume_mounts[${at}]`, names }),
  )
  for (const { mountPath } of mounts) refuseOwnPath(mountPath)
  const context = { names, allow }
  return {
    labels: readMap(spec, 'labels', true),
    annotations: readMap(spec, 'annotations', false),
    serviceAccountName: readServiceAccount(spec, allow),
    imagePullSecrets: listOf(spec, 'image_pull_secrets').map((one, at) =>
      readPullSecret(one, `image_pull_secrets[${at}]`),
    ),
    volumes,
    volumeMounts: mounts,
    initContainers: listOf(spec, 'init_containers').map((one, at) =>
      readContainer(one, { ...context, at: `init_containers[${at}]`, isInit: true }),
    ),
    sidecars: listOf(spec, 'sidecars').map((one, at) =>
      readContainer(one, { ...context, at: `sidecars[${at}]`, isInit: false }),
    ),
  }
}

function readServiceAccount(spec: JsonObject, allow: readonly Allowance[]): string | undefined {
  const { service_account_name } = spec
  if (service_account_name === undefined) return undefined
  demand('service_account', 'service_account_name', allow)
  return nameOf({ name: service_account_name }, 'service_account_name', DOTTED_NAME)
}

function readPullSecret(one: JsonObject, at: string): V1LocalObjectReference {
  const name = nameOf(one, at, DOTTED_NAME)
  refuseForeignSecrets({ secret: { name } }, at)
  return { name }
}

function readVolume(one: JsonObject, at: number, allow: readonly Allowance[]): V1Volume {
  const where = `volumes[${at}]`
  const { name: _, ...kinds } = one
  const name = nameOf(one, where, NAME)
  if ((OWN_VOLUMES as readonly string[]).includes(name)) {
    throw refusal(`${where}.name`, `${name} is a volume of Runyard's own: choose another name`)
  }
  const [kind, ...others] = Object.keys(kinds)
  if (kind === undefined || others.length > 0) {
    throw refusal(where, `a volume has one kind: one of ${Object.keys(VOLUME_KINDS).join(', ')}`)
  }
  if (!Object.hasOwn(VOLUME_KINDS, kind)) {
    throw refusal(`${where}.${kind}`, 'there is no such kind of volume here')
  }
  const allowance = VOLUME_KINDS[kind]
  if (allowance) demand(allowance, `${where}.${kind}`, allow)
  refuseForeignSecrets(kinds, where)
  return { name, ...kinds } as V1Volume
}

interface Place {
  /** For messages. */
  at: string
  /** The volumes that exist. */
  names: string[]
}

function readMount(one: JsonObject, { at, names }: Place): V1VolumeMount {
  const { name, mountPath } = one
  if (typeof name !== 'string' || !names.includes(name)) {
    throw refusal(`${at}.name`, `there is no volume ${JSON.stringify(name ?? '')} among volumes`)
  }
  if (typeof mountPath !== 'string' || !mountPath.startsWith('/') || mountPath.includes(':')) {
    throw refusal(`${at}.mountPath`, 'give an absolute path')
  }
  if (one.mountPropagation !== undefined && one.mountPropagation !== 'None') {
    throw refusal(`${at}.mountPropagation`, 'only None is possible')
  }
  return one as unknown as V1VolumeMount
}

function refuseOwnPath(mountPath: string): void {
  const path = mountPath.replace(/\/+$/, '')
  const isOwn = OWN_PATHS.some((own) => path === own || own.startsWith(`${path}/`))
  if (isOwn || path.startsWith('/run/runyard/') || path.split('/').includes('..')) {
    throw refusal('volume_mounts', `${mountPath} is where Runyard keeps its own: choose another`)
  }
}

function readContainer(
  one: JsonObject,
  { at, isInit, names, allow }: Place & { isInit: boolean; allow: readonly Allowance[] },
): V1Container {
  const name = nameOf(one, at, NAME)
  if ((OWN_CONTAINERS as readonly string[]).includes(name)) {
    throw refusal(`${at}.name`, `${name} is a container of Runyard's own: choose another name`)
  }
  if (typeof one.image !== 'string' || one.image === '') throw refusal(`${at}.image`, 'name one')
  const unknown = Object.keys(one).find((member) => !CONTAINER_MEMBERS.includes(member))
  if (unknown !== undefined) throw refusal(`${at}.${unknown}`, 'it is not possible here')
  const { restartPolicy, securityContext, volumeMounts, ...others } = one
  if (restartPolicy !== undefined && !(isInit && restartPolicy === 'Always')) {
    throw refusal(`${at}.restartPolicy`, 'only Always is possible, and only for an init container')
  }
  refuseForeignSecrets(others, at)
  const mounts = listOf({ volumeMounts: volumeMounts ?? [] }, 'volumeMounts').map((mount, index) =>
    readMount(mount, { at: `${at}.volumeMounts[${index}]`, names }),
  )
  return {
    ...(others as unknown as V1Container),
    ...(restartPolicy !== undefined && { restartPolicy: 'Always' }),
    ...(mounts.length > 0 && { volumeMounts: mounts }),
    securityContext: readSecurity(securityContext, `${at}.securityContext`, allow),
  }
}

function readSecurity(given: unknown, at: string, allow: readonly Allowance[]) {
  const base = containerSecurity(false)
  if (given === undefined) return base
  if (!isObject(given)) throw refusal(at, 'give an object')
  const same = base as unknown as JsonObject
  for (const [member, value] of Object.entries(given)) {
    if (JSON.stringify(same[member]) === JSON.stringify(value)) continue
    if (!SECURITY_MEMBERS.includes(member)) {
      throw refusal(`${at}.${member}`, 'the pod security standard "restricted" holds for all pods')
    }
    const isRoot =
      (member === 'runAsUser' && value === 0) || (member === 'runAsNonRoot' && value !== true)
    if (isRoot) demand('any_user', `${at}.${member}`, allow)
  }
  return { ...base, ...(given as object) }
}

/** No pod reads the start message of another deployment. */
function refuseForeignSecrets(value: unknown, at: string): void {
  const isForeign = (one: unknown) => typeof one === 'string' && one.startsWith(NAME_PREFIX)
  const look = (one: unknown): void => {
    if (!isObject(one) && !Array.isArray(one)) return
    for (const [key, inner] of Object.entries(one)) {
      const names =
        key === 'secretName' ? [inner] : SECRET_MEMBERS.includes(key) ? namesIn(inner) : []
      if (names.some(isForeign)) {
        throw refusal(at, `Secrets whose names begin with ${NAME_PREFIX} are Runyard's own`)
      }
      look(inner)
    }
  }
  look(value)
}

const SECRET_MEMBERS = ['secret', 'secretRef', 'secretKeyRef', 'nodePublishSecretRef']

function namesIn(value: unknown): unknown[] {
  return isObject(value) ? [value.name, value.secretName] : []
}

function readMap(spec: JsonObject, field: string, isLabels: boolean): Record<string, string> {
  const map = spec[field] ?? {}
  if (!isObject(map)) throw refusal(field, 'give an object of strings')
  for (const [key, value] of Object.entries(map)) {
    const at = `${field}[${JSON.stringify(key)}]`
    if (!LABEL_KEY.test(key)) throw refusal(at, 'this is no key for Kubernetes')
    if (RESERVED_KEY.test(key)) throw refusal(at, 'such keys belong to Runyard and the cluster')
    if (typeof value !== 'string') throw refusal(at, 'give a string')
    if (isLabels && !LABEL_VALUE.test(value)) {
      throw refusal(at, 'a value has at most 63 letters, digits, ".", "_" and "-"')
    }
  }
  return map as Record<string, string>
}

function nameOf({ name }: JsonObject, at: string, pattern: RegExp): string {
  if (typeof name === 'string' && pattern.test(name)) return name
  throw refusal(`${at}.name`, 'a name has lower-case letters, digits and "-"')
}

function listOf(spec: JsonObject, field: string): JsonObject[] {
  const list = spec[field] ?? []
  if (Array.isArray(list) && list.every(isObject)) return list as JsonObject[]
  throw refusal(field, 'give a list of objects')
}

function demand(allowance: Allowance, at: string, allow: readonly Allowance[]): void {
  if (allow.includes(allowance)) return
  throw refusal(at, `the operator has to allow it with ${allowance} in RUNYARD_KUBERNETES_ALLOW`)
}

function refusal(at: string, why: string): AppError {
  return new AppError('bad_request', `resource_spec.${at} is refused: ${why}.`)
}

/** Clients send null for absent fields, which is no value for Kubernetes. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const some = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return Object.fromEntries(some.map(([key, one]) => [key, withoutNulls(one)]))
}
