/** Creates the objects of a revision in the cluster, in an order in which each finds what it needs. */
import type { KubernetesObject } from '@kubernetes/client-node'
import type { FolderArtifact } from '../../core/deployment/artifacts/artifact.ts'
import type { KubernetesSettings } from '../../core/deployment/kubernetes-settings.ts'
import type { RuntimeSpec } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import { scaleLimits } from '../../core/rollout/scaling.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { startMessage } from '../start-message.ts'
import { applied, ensureNamespace } from './apply.ts'
import type { Cluster } from './cluster.ts'
import {
  buildAutoscaler,
  buildDeployment,
  buildDisruptionBudget,
  buildService,
} from './objects/deployment.ts'
import { ownerOf, type RevisionIdentity } from './objects/names.ts'
import { buildNetworkPolicy } from './objects/network-policy.ts'
import { PROJECT_DIR } from './objects/pod.ts'
import { buildPullSecret, buildSecret } from './objects/secret.ts'
import type { SecretContent } from './revision.ts'

interface BeginOptions {
  cluster: Cluster
  settings: KubernetesSettings
  parts: Pick<RuntimeParts, 'databaseUrl' | 'dataKey' | 'home' | 'artifactAddress' | 'podEnv'>
  /** The gateway's, for this revision. */
  token: string
  /** How long an agent server may take to end, in s. */
  graceSeconds: number
  /** How long a pod that others end keeps serving until another one answers, in ms. */
  lingerMs: number
  /** Receives the pods' start message before there is any pod. */
  onSecret(secret: SecretContent): void
  /** Whether the next object is still to be made. */
  isWanted(): boolean
}

/** Throws the reason that keeps the revision from starting, with a sentence for its author. */
export async function beginRevision(
  revision: RevisionIdentity,
  spec: RuntimeSpec,
  options: BeginOptions,
): Promise<void> {
  const { cluster, settings, parts, token } = options
  const { artifact, resource_spec, pullLogin: login } = spec
  const isLinked = artifact.kind === 'folder' || artifact.is_linked === true
  const address = artifact.kind === 'folder' ? await parts.artifactAddress?.(artifact) : undefined
  if (artifact.kind === 'folder' && !address) throw new AppError('bad_request', NO_ADDRESS)
  // A foreign image gets no such message, and needs no role in the database.
  const start = await startMessage(spec, isLinked ? parts : {}, {
    ...{ gatewayToken: token, isStandby: spec.isStandby ?? false, lingerMs: options.lingerMs },
    project: artifact.kind === 'folder' ? projectOf(artifact) : undefined,
  })
  const secret = buildSecret(revision, { start, isLinked, ...(address && { address }) })
  const described = {
    ...{ artifact, resource_spec, isLinked, address, settings },
    variables: Object.keys(start.secrets),
    env: parts.podEnv ?? {},
    hasPullSecret: login !== undefined,
    graceSeconds: options.graceSeconds,
    replicas: spec.replicas ?? 1,
  }
  // Our own refusals come before any object is created.
  buildDeployment(revision, ownerOf(secret), described)
  await ensureNamespace(revision.namespace, cluster, settings)
  options.onSecret({ start, isLinked })
  const make = async <T extends KubernetesObject>(object: T) => {
    if (!options.isWanted()) throw new AppError('conflict', 'The revision is being stopped.')
    return applied(cluster, object)
  }
  const owner = ownerOf(await make(secret))
  const neighbours = {
    controlPlaneNamespace: cluster.ownNamespace,
    ingressFrom: settings.ingressFrom,
  }
  // The network policy comes before any pod.
  await make(buildNetworkPolicy(revision, owner, neighbours))
  const { image_uri } = artifact
  if (image_uri !== undefined && login) {
    await make(buildPullSecret(revision, owner, { image_uri, login }))
  }
  await make(buildDeployment(revision, owner, described))
  await make(buildService(revision, owner))
  await make(buildDisruptionBudget(revision, owner))
  if (settings.scaling === 'hpa') {
    await make(buildAutoscaler(revision, owner, scaleLimits(resource_spec)))
  }
}

const NO_ADDRESS =
  'What was built lies on the machine of the control plane, where pods do not find it. ' +
  'Set RUNYARD_ARTIFACTS_URL to a store that pods reach, or deploy an image.'

function projectOf({ bundle, python }: FolderArtifact) {
  return {
    root: PROJECT_DIR,
    bundlePath: bundle && `${PROJECT_DIR}/${bundle}`,
    pythonPath: python && `${PROJECT_DIR}/${python}/bin/python`,
  }
}
