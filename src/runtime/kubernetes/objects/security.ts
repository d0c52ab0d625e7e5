/** The pod security standard `restricted`, as objects. */
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node'

/** The user of Runyard's image; others' images run as it too, unless the operator allows any user. */
const USER_ID = 10_001

/** `mayBeAnyUser`: an image's own user is taken, be it root. */
export function podSecurity(mayBeAnyUser: boolean): V1PodSecurityContext {
  const user = { runAsNonRoot: true, runAsUser: USER_ID, runAsGroup: USER_ID }
  return {
    ...(!mayBeAnyUser && user),
    fsGroup: USER_ID,
    seccompProfile: { type: 'RuntimeDefault' },
  }
}

export function containerSecurity(isReadOnly: boolean): V1SecurityContext {
  return {
    allowPrivilegeEscalation: false,
    privileged: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: isReadOnly,
  }
}
