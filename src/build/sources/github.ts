/** Fetches a commit of a git repository. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import { findDeployKey } from '../../core/deployment/deploy-key.ts'
import { isFileUrl } from '../../core/deployment/sources/repo-url.ts'
import type { FetchSource } from './fetch.ts'
import { fetchRepository } from './git.ts'
import { withSshAccess } from './ssh-access.ts'

export const fetchGithub: FetchSource = async (request, { dir, into, downloads }, context) => {
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
