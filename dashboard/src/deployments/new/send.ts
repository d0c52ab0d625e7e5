/** Turns a source into a deployment's first revision, or into the next one of an existing deployment. */
import {
  type Deployment,
  mergedSecrets,
  type Secret,
  type SourceConfigRequest,
} from '@runyard/client'
import { controlPlane } from '../../api/control-plane.ts'

export interface Wanted {
  name: string
  secrets: Secret[]
  /** Only what differs from the defaults. */
  settings: SourceConfigRequest
  configPath: string
  /** Whether the user knows that a deployment of this name exists. */
  isNext: boolean
}

type Watched = Pick<Deployment, 'id' | 'latest_revision_id'>

/** Called with the current step, in words for people. */
export type Say = (step: string) => void

/** Throws as the client does, or with a sentence if the tarball is too large. */
export async function sendTarball(
  wanted: Wanted,
  tarball: Uint8Array<ArrayBuffer>,
  say: Say,
): Promise<Watched> {
  const { name, secrets, settings, configPath } = wanted
  const found = await controlPlane.findDeployment(name)
  if (found && !wanted.isNext) {
    throw new Error(
      `${name} exists already: choose another name, or deploy once more to update it.`,
    )
  }
  say(found ? `Sending the next revision of ${name}` : `Creating the deployment ${name}`)
  const { id } = found ?? (await createEmpty(wanted))
  const upload = await controlPlane.requestUpload(id)
  say('Uploading')
  await controlPlane.upload(upload, tarball)
  say('Creating the revision')
  return controlPlane.patchDeployment(id, {
    revision_source: 'internal_source',
    source_revision_config: {
      source_tarball_path: upload.object_path,
      langgraph_config_path: configPath,
    },
    ...(found && Object.keys(settings).length > 0 && { source_config: settings }),
    ...(found && secrets.length > 0 && { secrets: mergedSecrets(found.secrets, secrets) }),
  })
}

export interface Repository {
  url: string
  ref: string
  isBuiltOnPush: boolean
}

export function deployRepository(wanted: Wanted, repository: Repository): Promise<Watched> {
  const { url, ref, isBuiltOnPush } = repository
  return controlPlane.createDeployment({
    name: wanted.name,
    source: 'github',
    source_config: { ...wanted.settings, repo_url: url, build_on_push: isBuiltOnPush },
    source_revision_config: {
      langgraph_config_path: wanted.configPath,
      ...(ref && { repo_ref: ref }),
    },
    secrets: wanted.secrets,
  })
}

function createEmpty({ name, secrets, settings }: Wanted) {
  return controlPlane.createDeployment({
    name,
    source: 'internal_source',
    source_config: settings,
    source_revision_config: {},
    secrets,
  })
}
