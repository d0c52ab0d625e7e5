/** The settings of where agent servers run, and what they reach: each needs or excludes others. */
import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import { isLoopbackHost, parseDatabaseUrl } from '../core/database-url.ts'
import type { RegistryLogin } from '../core/deployment/images/pull-secret.ts'
import type { OwnRegistry } from '../core/deployment/images/registry.ts'
import type { KubernetesSettings } from '../core/deployment/kubernetes-settings.ts'
import type { Settings } from './settings.ts'
import type { Environment } from './values.ts'

/**
 * Checks the database URL for agent servers against the control plane's. An address that would lead agent servers to
 * themselves is a problem, reported here rather than by every revision.
 */
export function checkAgentDatabase(read: Settings): void {
  const name = 'RUNYARD_AGENT_DATABASE_URL'
  const [text, own] = [read.get(name), read.get('RUNYARD_DATABASE_URL')]
  if (read.given(name) && !read.given('RUNYARD_DATABASE_URL')) {
    read.problem(name, 'needs RUNYARD_DATABASE_URL beside it')
  }
  if (text !== undefined && own !== undefined) {
    const { schema } = parseDatabaseUrl(text)
    if (schema !== undefined && schema !== parseDatabaseUrl(own).schema) {
      read.problem(name, 'must name the schema that RUNYARD_DATABASE_URL names, or none')
    }
  }
  const runtime = read.get('RUNYARD_RUNTIME')
  const address = text ?? own
  if (runtime === 'process' || address === undefined || !isNearOnly(address)) return
  const [where, whose] = runtime === 'docker' ? ['container', 'containers'] : ['pod', 'pods']
  read.problem(
    name,
    `must name the database as ${whose} reach it: in a ${where} loopback is the ${where} itself. Set it to ` +
      'postgres://USER:PASSWORD@HOST:PORT/NAME with an address of this machine that PostgreSQL listens on',
  )
}

/** Whether only this machine, or this container, can reach it. */
function isNearOnly(text: string): boolean {
  const url = new URL(text)
  const hosts = [url.searchParams.get('host') ?? url.hostname.replaceAll(/%2f/gi, '/')]
  const direct = url.searchParams.get('direct')
  if (direct !== null) hosts.push(direct.replace(/:\d+$/, ''))
  return hosts.some((host) => host.startsWith('/') || isLoopbackHost(host))
}

/** The cluster of the runtime `kubernetes`; `undefined`: another runtime. Problems are reported all the same. */
export function readKubernetes(read: Settings): KubernetesSettings | undefined {
  const settings: KubernetesSettings = {
    kubeconfig: read.get('RUNYARD_KUBECONFIG'),
    namespace: read.get('RUNYARD_KUBERNETES_NAMESPACE'),
    image: read.get('RUNYARD_IMAGE'),
    installation: read.get('RUNYARD_KUBERNETES_INSTALLATION'),
    allow: read.get('RUNYARD_KUBERNETES_ALLOW'),
    scaling: read.get('RUNYARD_KUBERNETES_SCALING'),
    ingressFrom: read.get('RUNYARD_KUBERNETES_INGRESS_FROM'),
  }
  if (read.get('RUNYARD_RUNTIME') !== 'kubernetes') return undefined
  if (!read.given('RUNYARD_DATABASE_URL')) {
    const why = 'kubernetes needs PostgreSQL, as pods share no file with this machine'
    read.problem('RUNYARD_RUNTIME', `${why}: set RUNYARD_DATABASE_URL`)
  }
  return settings
}

/**
 * Where pods fetch builds, unless those are in a store: the control plane needs an address that is not a pod's own
 * loopback. A problem here is reported at the start rather than by every revision.
 */
export function checkPodsReach(read: Settings): void {
  if (read.get('RUNYARD_RUNTIME') !== 'kubernetes' || read.given('RUNYARD_ARTIFACTS_URL')) return
  // In the order in which pods get them; a certificate is valid for the public name only.
  const names = ['RUNYARD_AGENTS_URL', 'RUNYARD_INTERNAL_URL', 'RUNYARD_PUBLIC_URL'] as const
  const named = read.given('RUNYARD_TLS_CERT') ? names : names.slice(0, 2)
  const name = named.find((one) => read.given(one)) ?? 'RUNYARD_AGENTS_URL'
  const [, url] = read.given(name) ?? []
  const reached = url === undefined ? read.get('RUNYARD_HOST') : (URL.parse(url)?.hostname ?? '')
  if (!isLoopbackHost(reached)) return
  read.problem(
    name,
    'must name this control plane as pods reach it, since they fetch there what was built: in a pod ' +
      `${reached || 'it'} is the pod itself. Set it to http://ADDRESS:PORT with an address of this machine, and ` +
      'RUNYARD_HOST to that address or 0.0.0.0; or name a store in RUNYARD_ARTIFACTS_URL',
  )
}

/** The container engine of the driver `docker`. */
export function readDocker(read: Settings, env: Environment) {
  const host = read.get('RUNYARD_DOCKER_HOST')
  return {
    host,
    /** A folder with `ca.pem`, `cert.pem` and `key.pem`; absolute. `undefined`: no TLS. */
    certs: readDockerCerts(read, host, env),
    network: read.get('RUNYARD_DOCKER_NETWORK'),
    user: read.get('RUNYARD_DOCKER_USER'),
    /** How long an image may take to be pulled. */
    pullMs: read.get('RUNYARD_PULL_TIMEOUT_SECS'),
  }
}

/** Docker's own variables count for an engine at `tcp://`. Unreadable files are reported here rather than by every container. */
function readDockerCerts(read: Settings, host: string | undefined, env: Environment) {
  const name = 'RUNYARD_DOCKER_CERTS'
  const isRemote = host?.startsWith('tcp:') === true
  const certs = read.get(name) ?? (isRemote ? dockersOwn(env) : undefined)
  if (certs === undefined) return undefined
  if (!isRemote) read.problem(name, 'is for an engine at tcp://HOST:PORT alone')
  const files = ['ca.pem', 'cert.pem', 'key.pem']
  const missing = files.filter((file) => !isReadable(join(certs, file)))
  if (missing.length > 0) {
    const why = `${missing.join(' and ')} cannot be read`
    read.problem(name, `must be a folder with ca.pem, cert.pem and key.pem; ${why}`)
  }
  return certs
}

/** Docker uses its folder below the home if no other is named: it never omits TLS for that. */
function dockersOwn(env: Environment): string | undefined {
  if (!env.DOCKER_TLS_VERIFY) return undefined
  return env.DOCKER_CERT_PATH ? resolve(env.DOCKER_CERT_PATH) : join(env.HOME || '/', '.docker')
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The operator's registry of images; `undefined`: none is configured. */
export function readRegistry(read: Settings): OwnRegistry | undefined {
  const url = read.get('RUNYARD_REGISTRY_URL')
  const login = loginOf(read.get('RUNYARD_REGISTRY_USER'), read.get('RUNYARD_REGISTRY_PASSWORD'))
  const pushLogin = loginOf(
    read.get('RUNYARD_REGISTRY_PUSH_USER'),
    read.get('RUNYARD_REGISTRY_PUSH_PASSWORD'),
  )
  if ((login ?? pushLogin) && !read.given('RUNYARD_REGISTRY_URL')) {
    read.problem('RUNYARD_REGISTRY_URL', 'has to be set with a registry password')
  }
  if (url === undefined) return undefined
  const prefix = url.replace(/^https?:\/\//, '')
  return { url, prefix, ...(login && { login }), ...(pushLogin && { pushLogin }) }
}

/** The name alone is no login. */
function loginOf(username: string, password: string | undefined): RegistryLogin | undefined {
  return password === undefined ? undefined : { username, password }
}
