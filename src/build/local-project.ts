/** Where what was built lies on this machine. */
import { dirname, join } from 'node:path'
import type { FolderArtifact, LocalProject } from '../core/deployment/artifact.ts'
import { isFile } from './is-file.ts'
import { nodePath } from './javascript/project-node.ts'
import { revisionFolder } from './layout.ts'

/** `dir`: the builder's folder; absolute. The folder itself may have been pruned. */
export function localProject(dir: string, artifact: FolderArtifact): LocalProject {
  const { id, config_path, bundle, node_version } = artifact
  const root = revisionFolder(dir, id).source
  const path = node_version === null ? null : nodePath(dir, node_version)
  return {
    root,
    configPath: join(root, config_path),
    bundlePath: bundle === null ? null : join(root, bundle),
    node: path === null ? null : { root: dirname(dirname(path)), path },
  }
}

/** Whether all that it names is there. */
export async function isWhole({ configPath, bundlePath, node }: LocalProject): Promise<boolean> {
  const paths = [configPath, bundlePath, node?.path ?? null]
  const found = await Promise.all(paths.map((path) => path === null || isFile(path)))
  return found.every(Boolean)
}
