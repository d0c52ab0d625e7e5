/**
 * The network policy of a revision's pods: only the control plane may connect to them; they may connect to their
 * database, the gateway and the internet, but not to the machine's metadata. Every agent server has such a policy, so
 * no deployment reaches another one.
 */
import type {
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1OwnerReference,
} from '@kubernetes/client-node'
import { LABEL, metadataOf, type RevisionIdentity, selectorLabels } from './names.ts'
import { PORT_NAME } from './pod.ts'

/** Where clouds serve the keys of the machine. */
const METADATA_RANGE = '169.254.0.0/16'
/** For every pod of ours. */
export const EGRESS: V1NetworkPolicyEgressRule[] = [
  { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: [METADATA_RANGE] } }] },
  { to: [{ ipBlock: { cidr: '::/0', except: ['fe80::/10'] } }] },
  { to: [{ namespaceSelector: {} }] },
]
const CONTROL_PLANE = { [LABEL.name]: 'runyard', 'app.kubernetes.io/component': 'control-plane' }

interface Neighbours {
  /** The control plane's namespace; `undefined`: it runs outside of the cluster. */
  controlPlaneNamespace: string | undefined
  /** Who else may connect, as CIDRs. */
  ingressFrom: readonly string[]
}

/** Anyone may connect if the control plane is outside of the cluster and no range is named. */
export function buildNetworkPolicy(
  revision: RevisionIdentity,
  owner: V1OwnerReference,
  neighbours: Neighbours,
): V1NetworkPolicy {
  const from = peersOf(neighbours)
  const port = { protocol: 'TCP', port: PORT_NAME }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(revision, owner),
    spec: {
      podSelector: { matchLabels: selectorLabels(revision) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: from.length > 0 ? [{ _from: from, ports: [port] }] : [{ ports: [port] }],
      egress: EGRESS,
    },
  }
}

function peersOf({ controlPlaneNamespace, ingressFrom }: Neighbours): V1NetworkPolicyPeer[] {
  const ranges = ingressFrom.map((cidr) => ({ ipBlock: { cidr } }))
  if (controlPlaneNamespace === undefined) return ranges
  const namespaceSelector = {
    matchLabels: { 'kubernetes.io/metadata.name': controlPlaneNamespace },
  }
  return [{ namespaceSelector, podSelector: { matchLabels: CONTROL_PLANE } }, ...ranges]
}
