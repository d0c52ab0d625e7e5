/** Where a built project lies on this machine. */
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
    // The project's own code decides where the links lead: nothing more is opened for it.
    python:
      python === null
        ? null
        : { root: pythonsFolder(dir), path: environmentPython(join(root, python)) },
  }
}

/**
 * Whether all files that it names exist. `isElsewhere`: it runs in an image, and its environment links to that image's
 * Python, which does not exist here.
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
