/** What is started of a project that is being worked on: its folder as it is, with nothing built. */
import { basename } from 'node:path'
import type { FolderArtifact } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../core/deployment/runtime.ts'

/** `name`: under which the project is known to the gateway and the driver. Each version adds its id. */
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
