/** The Secrets of a revision: the start message of its agent servers, which owns all other objects, and its login. */
import type { V1OwnerReference, V1Secret } from '@kubernetes/client-node'
import { parseImage } from '../../../core/deployment/images/image.ts'
import type { RegistryLogin } from '../../../core/deployment/images/pull-secret.ts'
import { jsonIn } from '../../../core/json.ts'
import type { StartMessage } from '../../../link/messages.ts'
import { ANNOTATION, encoded, metadataOf, objectName, type RevisionIdentity } from './names.ts'

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
      [START_KEY]: encoded(JSON.stringify(start)),
      ...(address && { [ADDRESS_KEY]: encoded(address.url) }),
      ...(!isLinked &&
        Object.fromEntries(Object.entries(start.secrets).map(([k, v]) => [k, encoded(v)]))),
    },
  }
}

/** The start message in a Secret of `buildSecret`; `undefined`: the Secret was changed to something else. */
export function readSecret({ data }: V1Secret): StartMessage | undefined {
  const text = Buffer.from(data?.[START_KEY] ?? '', 'base64').toString()
  return jsonIn(text) as StartMessage | undefined
}

/** The address under which kubelets look for Docker Hub's login. */
const HUB = 'https://index.docker.io/v1/'

export function pullSecretName({ revision_id }: Pick<RevisionIdentity, 'revision_id'>): string {
  return `${objectName(revision_id)}-pull`
}

/** The login with which a cluster pulls a revision's image from a private registry. No container sees it. */
export function buildPullSecret(
  revision: RevisionIdentity,
  owner: V1OwnerReference,
  { image_uri, login }: { image_uri: string; login: RegistryLogin },
): V1Secret {
  const registry = parseImage(image_uri)?.registry ?? ''
  const auths = { [registry === 'docker.io' ? HUB : registry]: login }
  const text = JSON.stringify({ auths })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadataOf(revision, owner), name: pullSecretName(revision) },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': encoded(text) },
  }
}
