/** How each kind of source that is built into a folder is fetched; the others are images. */
import { unpackTarball } from '../../artifacts/archive/unpack.ts'
import { BuildError, type BuildRequest, type Tarballs } from '../../core/deployment/builds/build.ts'
import { findDeployKey } from '../../core/deployment/deploy-key.ts'
import { isFileUrl } from '../../core/deployment/sources/repo-url.ts'
import type { Commit } from '../../core/deployment/sources/snapshot.ts'
import { kindOf, type SourceOf } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'
import type { StepContext } from '../step.ts'
import { fetchRepository } from './git.ts'
import { withSshAccess } from './git-command.ts'
import type { LfsDownloads } from './lfs.ts'
import { writeSnapshot } from './snapshot.ts'

/** Where a source comes from and goes to. */
interface FetchPlace {
  /** The builder's folder. */
  dir: string
  tarballs: Pick<Tarballs, 'use'>
  into: string
  /** Absent: Git LFS files are not fetched. */
  downloads?: LfsDownloads | undefined
}

/**
 * Puts the source of one revision into the new folder `into` and returns its commit, or `null` if it has none. Throws
 * `BuildError`. The context's environment holds none of the project's variables, and nothing is confined.
 */
type FetchSource = (
  request: BuildRequest,
  place: FetchPlace,
  context: StepContext,
) => Promise<Commit | null>

const fetchTarball: FetchSource = async (request, { tarballs, into }, context) => {
  const { source_tarball_path } = request.source_revision_config
  const isThere =
    source_tarball_path !== null &&
    (await tarballs.use(source_tarball_path, (path) => unpackSource(path, into, context)))
  if (isThere) return null
  throw new BuildError('fetch', 'The source tarball was not uploaded: upload it first.')
}

/** As `unpackTarball` of the archive. Throws `BuildError('unpack')` with its sentence. */
export async function unpackSource(
  path: string,
  into: string,
  context: StepContext,
): Promise<void> {
  try {
    const entries = await unpackTarball(path, into, context)
    context.log.line(`Unpacked ${entries} entries.`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('unpack', error.message, { cause: error })
  }
}

const fetchGithub: FetchSource = async (request, { dir, into, downloads }, context) => {
  const { repo_url } = request.source_config
  const { repo_ref, repo_commit_sha } = request.source_revision_config
  if (!repo_url) throw new BuildError('fetch', 'source_config.repo_url is missing.')
  const repository = {
    repo_url,
    // A known commit is built again: after a restart, and when redeployed.
    repo_ref: repo_commit_sha ?? repo_ref,
    // Only an admin's request could bring such a URL into the record.
    isFileUrlAllowed: isFileUrl(repo_url),
  }
  return withSshAccess(dir, findDeployKey(request.secrets), (ssh) =>
    fetchRepository({ ...repository, ssh, ...(downloads && { downloads }) }, into, context),
  )
}

const FETCHES: Readonly<Record<SourceOf<'folder'>, FetchSource>> = {
  github: fetchGithub,
  internal_source: fetchTarball,
}

/**
 * See `FetchSource`. Notes the source, so that later revisions can be compared with it. Throws `BuildError('fetch')`
 * for a source that is an image.
 */
export const fetchSource: FetchSource = async (request, place, context) => {
  if (!isBuilt(request)) {
    throw new BuildError('fetch', `The source ${request.source} is an image: nothing to build.`)
  }
  const commit = await FETCHES[request.source](request, place, context)
  await writeSnapshot(place.dir, request.revision_id, { source: place.into, commit }).catch(
    (error: unknown) => {
      context.log.line(`Warning: what this revision changes cannot be shown: ${error}.`)
    },
  )
  return commit
}

/** Whether the revision is an image already. */
export function isImageSource({ source }: Pick<BuildRequest, 'source'>): boolean {
  return kindOf(source).artifact === 'image'
}

function isBuilt(request: BuildRequest): request is BuildRequest & { source: SourceOf<'folder'> } {
  return request.source in FETCHES
}
