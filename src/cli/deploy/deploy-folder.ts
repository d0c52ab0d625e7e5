/**
 * Deploys a folder: packs it, creates or finds the deployment, uploads, patches, and watches the rollout
 * to its end.
 */
import {
  type ControlPlaneClient,
  type Deployment,
  type DeploymentPatchRequest,
  mergedSecrets,
  type Revision,
  type Secret,
} from '../../../client/src/client.ts'
import { packFolder } from './pack.ts'
import { type RolloutViewer, watchRevision } from './watch-revision.ts'

interface FolderSource {
  folder: string
  /** The path to its `langgraph.json`, with slashes. Default: in the folder itself. */
  configPath?: string
  name: string
  /** Secrets to add, or to change by name. */
  secrets: Secret[]
  /** Whether all other secrets of the deployment are removed. */
  areReplaced?: boolean
  /** What the revision is about. */
  message?: string | undefined
}

interface DeployFolderOptions extends FolderSource {
  viewer?: RolloutViewer
  /** Stops watching. The rollout goes on. */
  signal: AbortSignal
}

/** Returns the new revision at the end of its rollout, whether it is DEPLOYED or has failed. */
export async function deployFolder(
  client: ControlPlaneClient,
  { viewer, signal, ...source }: DeployFolderOptions,
): Promise<Revision> {
  const { id, latest_revision_id } = await beginRollout(client, source)
  const at = { deployment_id: id, revision_id: latest_revision_id }
  return watchRevision(client, at, { ...(viewer && { viewer }), signal })
}

/** Does everything before the watching. */
export async function beginRollout(
  client: ControlPlaneClient,
  { folder, configPath = 'langgraph.json', name, message, ...env }: FolderSource,
  say: (line: string) => void = () => {},
): Promise<Deployment & { latest_revision_id: string }> {
  const tarball = await packFolder(folder)
  say(`Packed: ${Math.ceil(tarball.byteLength / 1024)} KiB.`)
  const found = await client.findDeployment(name)
  const { id } = found ?? (await createEmpty(client, name, env.secrets))
  say(found ? `Updating ${name}.` : `Created deployment ${name}.`)
  const upload = await client.requestUpload(id)
  await client.upload(upload, tarball)
  // Read after the upload: a secret that was changed meanwhile keeps its new value.
  const before = found && (await client.getDeployment(id)).secrets
  const patched = await client.patchDeployment(id, {
    revision_source: 'internal_source',
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: configPath,
    },
    ...(before && changedSecrets(before, env)),
    ...(message !== undefined && { message }),
  })
  const { latest_revision_id } = patched
  if (latest_revision_id === null) throw new Error(`Deployment ${name} has no revision to watch.`)
  return { ...patched, latest_revision_id }
}

/** The members of a patch: a list of secrets replaces all, and an empty one none. */
function changedSecrets(
  before: readonly Secret[],
  { secrets: given, areReplaced = false }: Pick<FolderSource, 'secrets' | 'areReplaced'>,
): Pick<DeploymentPatchRequest, 'secrets' | 'removed_secrets'> {
  if (given.length > 0) return { secrets: areReplaced ? given : mergedSecrets(before, given) }
  return areReplaced ? { removed_secrets: before.map(({ name }) => name) } : {}
}

function createEmpty(client: ControlPlaneClient, name: string, secrets: Secret[]) {
  return client.createDeployment({
    name,
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets,
  })
}
