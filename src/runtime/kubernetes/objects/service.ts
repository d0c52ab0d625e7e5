/** The Service of a revision: a stable name for its pods. Runyard's own gateway speaks to the pods themselves. */
import type { V1OwnerReference, V1Service } from '@kubernetes/client-node'
import { metadataOf, type RevisionIdentity, selectorLabels } from './names.ts'
import { PORT_NAME } from './pod.ts'

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
