/**
 * What lies where in the builder's folder.
 *
 * ```
 * <dir>/revisions/<revision_id>/source/     the project, installed and bundled
 *                               build.log
 *                               built.json  written last: the build has ended well
 * <dir>/uploads/<object_path>               tarballs
 * <dir>/nodes/<version>/                    a Node that projects asked for
 * <dir>/installs/<deployment_id>/           packages of its last builds (`javascript/install-cache.ts`)
 * <dir>/homes/<deployment_id>/              HOME of its builds in a sandbox
 * <dir>/known_hosts                         keys of the ssh hosts that sources came from
 * <dir>/unfinished/                         what is on its way; emptied at the start
 * ```
 */
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'

interface RevisionFolder {
  root: string
  source: string
  log: string
  built: string
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const OBJECT_PATH = /^[A-Za-z0-9][\w.-]{0,99}(\/[A-Za-z0-9][\w.-]{0,99}){0,7}$/

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

/**
 * Where the tarball of an object path lies. An object path is one to eight names, joined by `/`, of
 * letters, digits, `_`, `.` and `-`, each beginning with a letter or a digit; so none climbs out of
 * the folder. Throws `bad_request` for any other.
 */
export function uploadPath(dir: string, object_path: string): string {
  if (!OBJECT_PATH.test(object_path)) {
    throw new AppError('bad_request', 'The object path is malformed: use the one of upload-url.')
  }
  return join(dir, 'uploads', object_path)
}

/** Where a deployment's packages are kept. Throws `bad_request` as `revisionFolder` does. */
export function installsFolder(dir: string, deployment_id: string): string {
  if (!ID.test(deployment_id)) throw new AppError('bad_request', 'The deployment id is malformed.')
  return join(dir, 'installs', deployment_id)
}

/** Throws `bad_request` as `revisionFolder` does. */
export function homeFolder(dir: string, deployment_id: string): string {
  if (!ID.test(deployment_id)) throw new AppError('bad_request', 'The deployment id is malformed.')
  return join(dir, 'homes', deployment_id)
}

export function knownHostsPath(dir: string): string {
  return join(dir, 'known_hosts')
}

/** Where all the brought Nodes lie, or one of them. */
export function nodeFolder(dir: string, version?: string): string {
  return join(dir, 'nodes', version ?? '')
}

/** Where an upload or a Node lies until the whole of it is there. */
export function unfinishedFolder(dir: string): string {
  return join(dir, 'unfinished')
}
