/** The source of a revision in a few words. */
import type { Deployment, Revision } from '@runyard/client'

/** `acme/agent` of `https://github.com/acme/agent.git`. */
export function repositoryName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]+\//i, '').replace(/^[^/@]+@[^:]+:/, '')
  return path.replace(/\.git$/, '').replace(/^\//, '')
}

export interface SourceText {
  /** `acme/agent at main`, `Upload`. */
  what: string
  /** The commit, or what identifies an upload. */
  version: string | null
}

export function sourceTextOf(
  { source, source_revision_config: config }: Pick<Revision, 'source' | 'source_revision_config'>,
  { source_config }: Pick<Deployment, 'source_config'>,
): SourceText {
  switch (source) {
    case 'github': {
      const name = repositoryName(source_config.repo_url ?? 'git')
      return {
        what: config.repo_ref ? `${name} at ${config.repo_ref}` : name,
        version: config.repo_commit_sha,
      }
    }
    case 'internal_source':
      return { what: 'Upload', version: uploadId(config.source_tarball_path) }
    case 'external_docker':
    case 'internal_docker':
      return { what: config.image_uri ?? 'Image', version: null }
    default:
      // A newer control plane may know more kinds than this page.
      return { what: `Unknown kind: ${source}`, version: null }
  }
}

/** The last part of its path, without the common suffix. */
function uploadId(path: string | null): string | null {
  return (
    path
      ?.split('/')
      .at(-1)
      ?.replace(/\.tar\.gz$|\.tgz$/, '') ?? null
  )
}
