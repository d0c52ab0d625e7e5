/** Where what was built lies on this machine. */
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FolderArtifact, LocalProject } from '../core/deployment/artifacts/artifact.ts'
import { isFile } from './is-file.ts'
import { nodePath } from './javascript/project-node.ts'
import { environmentPython, pythonsFolder, revisionFolder } from './layout.ts'

/** `dir`: the builder's folder; absolute. The folder itself may have been pruned. */
export function localProject(dir: string, artifact: FolderArtifact): LocalProject {
  const { id, config_path, bundle, node_version, python } = artifact
  const root = revisionFolder(dir, id).source
  const path = node_version === null ? null : nodePath(dir, node_version)
  return {
    root,
    configPath: join(root, config_path),
    bundlePath: bundle === null ? null : join(root, bundle),
    node: path === null ? null : { root: dirname(dirname(path)), path },
    // Where its links really lead is for the project's own code to say: nothing more is opened for it.
    python:
      python === null
        ? null
        : { root: pythonsFolder(dir), path: environmentPython(join(root, python)) },
  }
}

/**
 * Whether all that it names is there. `isElsewhere`: it runs in an image, whose Python the link of its
 * environment leads to; here it leads nowhere.
 */
export async function isWhole(
  { configPath, bundlePath, node, python }: LocalProject,
  { isElsewhere }: { isElsewhere: boolean },
): Promise<boolean> {
  const paths = [configPath, bundlePath, node?.path ?? null]
  const found = await Promise.all([
    ...paths.map((path) => path === null || isFile(path)),
    python === null || (isElsewhere ? isAnything(python.path) : isFile(python.path)),
  ])
  return found.every(Boolean)
}

async function isAnything(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
