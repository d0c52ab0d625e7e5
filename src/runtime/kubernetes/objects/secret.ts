/** The Secret of a revision: the start message of its agent servers. It owns all other objects. */
import type { V1OwnerReference, V1Secret } from '@kubernetes/client-node'
import type { StartMessage } from '../../../link/messages.ts'
import { ANNOTATION, metadataOf, type RevisionIdentity } from './names.ts'

/** The key of the address from which an init container fetches the project. */
export const ADDRESS_KEY = 'artifact.url'

/** The key, and so the name of the file in the pod. No variable has this name. */
export const START_KEY = 'start.json'

/**
 * `isLinked`: the agent server reads the file. A foreign image gets its secrets as variables, which the Secret then
 * holds one by one.
 */
export function buildSecret(
  revision: RevisionIdentity,
  {
    start,
    isLinked,
    address,
  }: { start: StartMessage; isLinked: boolean; address?: { url: string } },
): V1Secret {
  const metadata = metadataOf(revision)
  const link = { [ANNOTATION.link]: String(isLinked) }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...link } },
    type: 'Opaque',
    data: {
      [START_KEY]: encode(JSON.stringify(start)),
      ...(address && { [ADDRESS_KEY]: encode(address.url) }),
      ...(!isLinked &&
        Object.fromEntries(Object.entries(start.secrets).map(([k, v]) => [k, encode(v)]))),
    },
  }
}

/** The start message in a Secret of `buildSecret`; `undefined`: the Secret was changed to something else. */
export function readSecret(secret: V1Secret): StartMessage | undefined {
  try {
    return JSON.parse(Buffer.from(secret.data?.[START_KEY] ?? '', 'base64').toString())
  } catch {
    return undefined
  }
}

export function ownerOf({ metadata }: V1Secret): V1OwnerReference {
  const { name = '', uid = '' } = metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: false,
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
