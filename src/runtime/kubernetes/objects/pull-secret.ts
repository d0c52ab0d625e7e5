/** The login with which a cluster pulls a revision's image from a private registry. No container sees it. */
import type { V1OwnerReference, V1Secret } from '@kubernetes/client-node'
import { parseImage } from '../../../core/deployment/images/image.ts'
import type { RegistryLogin } from '../../../core/deployment/images/pull-secret.ts'
import { metadataOf, objectName, type RevisionIdentity } from './names.ts'

/** The address under which kubelets look for Docker Hub's login. */
const HUB = 'https://index.docker.io/v1/'

export function pullSecretName({ revision_id }: Pick<RevisionIdentity, 'revision_id'>): string {
  return `${objectName(revision_id)}-pull`
}

/** It is removed with its owner. */
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
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  }
}
