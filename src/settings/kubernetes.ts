/** The cluster of the agent servers, and what they may request in it. */

import { isLoopbackHost } from '../core/database-url.ts'
import {
  ALLOWANCES,
  type Allowance,
  type KubernetesSettings,
} from '../core/deployment/kubernetes-settings.ts'
import type { Settings } from './settings.ts'
import { rowOf } from './table.ts'

const NAMESPACE = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
/** As long as the id of a workspace. */
const SOME_ID = '00000000-0000-0000-0000-000000000000'

/** `undefined`: agent servers run elsewhere. Problems are reported all the same. */
export function readKubernetes(settings: Settings): KubernetesSettings | undefined {
  const read: KubernetesSettings = {
    kubeconfig: settings.path('RUNYARD_KUBECONFIG'),
    namespace: readNamespace(settings),
    image: settings.value('RUNYARD_IMAGE') ?? rowOf('RUNYARD_IMAGE').default,
    installation: readInstallation(settings),
    allow: readAllowances(settings),
    scaling: settings.choice('RUNYARD_KUBERNETES_SCALING'),
    ingressFrom: settings
      .ranges('RUNYARD_KUBERNETES_INGRESS_FROM')
      .map(([address, bits]) => `${address}/${bits}`),
  }
  if (settings.choice('RUNYARD_RUNTIME') !== 'kubernetes') return undefined
  if (settings.databaseUrl() === undefined) {
    const why = 'kubernetes needs PostgreSQL, as pods share no file with this machine'
    settings.problem('RUNYARD_RUNTIME', `${why}: set RUNYARD_DATABASE_URL`)
  }
  return read
}

/**
 * Where pods fetch builds, unless those are in a store: the control plane needs an address that is not a pod's own
 * loopback. A problem here is reported at the start rather than by every revision.
 */
export function checkPodsReach(settings: Settings, host: string): void {
  if (settings.choice('RUNYARD_RUNTIME') !== 'kubernetes') return
  if (settings.value('RUNYARD_ARTIFACTS_URL') !== undefined) return
  // In the order in which pods get them; a certificate is valid for the public name only.
  const isTls = settings.value('RUNYARD_TLS_CERT') !== undefined
  const [first, ...others] = [
    'RUNYARD_AGENTS_URL',
    'RUNYARD_INTERNAL_URL',
    'RUNYARD_PUBLIC_URL',
  ] as const
  const named = isTls ? [first, ...others] : [first, others[0]]
  const name = named.find((one) => settings.value(one) !== undefined) ?? first
  const url = settings.value(name)
  const reached = url === undefined ? host : (URL.parse(url)?.hostname ?? '')
  if (!isLoopbackHost(reached)) return
  settings.problem(
    name,
    'must name this control plane as pods reach it, since they fetch there what was built: in a pod ' +
      `${reached || 'it'} is the pod itself. Set it to http://ADDRESS:PORT with an address of this machine, and ` +
      'RUNYARD_HOST to that address or 0.0.0.0; or name a store in RUNYARD_ARTIFACTS_URL',
  )
}

function readNamespace(settings: Settings): string {
  const name = 'RUNYARD_KUBERNETES_NAMESPACE'
  const text = settings.value(name) ?? rowOf(name).default
  if (!NAMESPACE.test(text.replace('{workspace_id}', SOME_ID))) {
    settings.problem(name, `must be a namespace, or one with {workspace_id} in it, not "${text}"`)
  }
  return text
}

function readInstallation(settings: Settings): string {
  const name = 'RUNYARD_KUBERNETES_INSTALLATION'
  const text = settings.value(name) ?? rowOf(name).default
  if (!LABEL_VALUE.test(text)) {
    settings.problem(name, `must be up to 63 letters, digits, ".", "_" and "-", not "${text}"`)
  }
  return text
}

function readAllowances(settings: Settings): Allowance[] {
  const name = 'RUNYARD_KUBERNETES_ALLOW'
  const parts = (settings.value(name) ?? '').split(',').map((one) => one.trim())
  const isAllowance = (one: string): one is Allowance => ALLOWANCES.some((known) => known === one)
  for (const one of parts) {
    if (one === '' || isAllowance(one)) continue
    settings.problem(name, `must hold some of ${ALLOWANCES.join(', ')}, not "${one}"`)
  }
  return parts.filter(isAllowance)
}
