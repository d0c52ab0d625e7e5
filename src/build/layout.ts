/**
 * The layout of the builder's folder.
 *
 * ```
 * <dir>/revisions/<revision_id>/source/     the project, installed and bundled
 *                               build.log
 *                               source.json.gz  what was fetched, to compare revisions (`sources/snapshot.ts`)
 *                               built.json  written last: build succeeded
 * <dir>/uploads/<object_path>               tarballs, where they are kept on this machine
 * <dir>/artifacts/<revision_id>/            packed folders, where they are kept on this machine
 * <dir>/nodes/<version>/                    a Node that projects asked for
 * <dir>/uvs/<version>/                      the uv that installs for Python
 * <dir>/pythons/                            every Python that uv has installed
 * <dir>/installs/<deployment_id>/           packages of its last builds (`install-cache.ts`)
 * <dir>/environments/<deployment_id>/       the same of Python
 * <dir>/shared/<hash>/                      packages and environments for first builds of a workspace's deployments;
 *                                           those of a deleted workspace stay until newer ones replace them
 * <dir>/homes/<deployment_id>/              HOME of its builds in a sandbox
 * <dir>/known_hosts                         keys of the ssh hosts that sources came from
 * <dir>/unfinished/                         files that are not complete; emptied at the start
 * ```
 */
import { join } from 'node:path'
import { uploadName } from '../core/deployment/upload.ts'
import { AppError } from '../core/errors.ts'
import { checkObjectName } from '../core/object-store.ts'

interface RevisionFolder {
  root: string
  source: string
  log: string
  built: string
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** Throws `bad_request` for an id that cannot be the name of a folder. */
export function revisionFolder(dir: string, revision_id: string): RevisionFolder {
  if (!ID.test(revision_id)) throw new AppError('bad_request', 'The revision id is malformed.')
  const root = join(revisionsFolder(dir), revision_id)
  return {
    root,
    source: join(root, 'source'),
    log: join(root, 'build.log'),
    built: join(root, 'built.json'),
  }
}

/** Where the folders of all revisions lie. */
export function revisionsFolder(dir: string): string {
  return join(dir, 'revisions')
}

/** Where the tarball of an object path lies on this machine. Throws `bad_request` where it is malformed. */
export function uploadPath(dir: string, object_path: string): string {
  return join(dir, checkObjectName(uploadName(object_path)))
}

/** Where a deployment's packages are kept. Throws `bad_request` as `revisionFolder` does. */
export function installsFolder(dir: string, deployment_id: string): string {
  if (!ID.test(deployment_id)) throw new AppError('bad_request', 'The deployment id is malformed.')
  return join(dir, 'installs', deployment_id)
}

/** Where a deployment's environments of Python are kept. Throws `bad_request` as `revisionFolder` does. */
export function environmentsFolder(dir: string, deployment_id: string): string {
  if (!ID.test(deployment_id)) throw new AppError('bad_request', 'The deployment id is malformed.')
  return join(dir, 'environments', deployment_id)
}

/** Installs that the deployments of a workspace share (`install-cache.ts`). */
export function sharedInstallsFolder(dir: string): string {
  return join(dir, 'shared')
}

/** Throws `bad_request` as `revisionFolder` does. */
export function homeFolder(dir: string, deployment_id: string): string {
  if (!ID.test(deployment_id)) throw new AppError('bad_request', 'The deployment id is malformed.')
  return join(dir, 'homes', deployment_id)
}

export function knownHostsPath(dir: string): string {
  return join(dir, 'known_hosts')
}

/** The folder of all installed Nodes, or of one. */
export function nodeFolder(dir: string, version?: string): string {
  return join(dir, 'nodes', version ?? '')
}

/** The folder of all uvs that Runyard has fetched, or of one. */
export function uvsFolder(dir: string, version?: string): string {
  return join(dir, 'uvs', version ?? '')
}

/** Where uv installs Pythons. */
export function pythonsFolder(dir: string): string {
  return join(dir, 'pythons')
}

/** The Python of an environment. */
export function environmentPython(environment: string): string {
  return join(environment, 'bin', 'python')
}

/** Where uploads, Nodes, uvs and shared installs lie until they are complete. */
export function unfinishedFolder(dir: string): string {
  return join(dir, 'unfinished')
}
