/** How `dev` starts a project: its folder as it is, without a build. */
import { basename } from 'node:path'
import type { FolderArtifact } from '../../core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../../core/deployment/runtime.ts'

/** `name`: the project's name for the gateway and the driver. Each version adds its id. */
export function specOf(
  name: string,
  configPath: string,
): Omit<RuntimeSpec<FolderArtifact>, 'revision_id'> {
  return {
    deployment_id: name,
    deployment_name: name,
    artifact: {
      kind: 'folder',
      id: name,
      node_version: null,
      config_path: basename(configPath),
      bundle: null,
      python: null,
    },
    secrets: [],
    resource_spec: null,
  }
}
