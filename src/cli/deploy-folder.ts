/** Deploys a folder: pack, create or find the deployment, upload, patch, watch until it is over. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ControlPlaneClient,
  type Deployment,
  isOver,
  type Revision,
  type Secret,
} from '../../client/src/client.ts'
import { packFolder } from './pack.ts'

const POLL_MS = 200

export interface DeployFolderOptions {
  folder: string
  name: string
  /** Replaces all secrets of the deployment, unless it is empty. */
  secrets: Secret[]
  /** Ends the watching; the rollout goes on. */
  signal: AbortSignal
}

/** Answers the new revision at its end, whether that is DEPLOYED or a failure. */
export async function deployFolder(
  client: ControlPlaneClient,
  options: DeployFolderOptions,
): Promise<Revision> {
  const tarball = await packFolder(options.folder)
  const found = (await client.findDeployment(options.name)) ?? (await createEmpty(client, options))
  const upload = await client.requestUpload(found.id)
  await client.upload(upload, tarball)
  const patched = await client.patchDeployment(found.id, {
    revision_source: 'internal_source',
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: 'langgraph.json',
    },
    ...(options.secrets.length > 0 && { secrets: options.secrets }),
  })
  return watch(client, patched, options.signal)
}

function createEmpty(client: ControlPlaneClient, options: DeployFolderOptions) {
  return client.createDeployment({
    name: options.name,
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: options.secrets,
  })
}

async function watch(client: ControlPlaneClient, deployment: Deployment, signal: AbortSignal) {
  const revisionId = deployment.latest_revision_id
  if (revisionId === null)
    throw new Error(`Deployment ${deployment.name} has no revision to watch.`)
  for (;;) {
    const revision = await client.getRevision(deployment.id, revisionId)
    if (isOver(revision.status)) return revision
    await delay(POLL_MS, undefined, { signal })
  }
}
