/** A commit of a git repository. */
import { AppError } from '../../errors.ts'
import type { SourceConfig, SourceRevisionConfig } from './config.ts'
import type { SourceKind } from './kind.ts'
import {
  checkConfigPath,
  MAKES_PROJECT_REVISION,
  PROJECT_CONFIG,
  PROJECT_REVISION_CONFIG,
} from './project.ts'
import { checkRepoRef, checkRepoUrl } from './repo-url.ts'

export const github = {
  artifact: 'folder',
  source_config: {
    repo_url: 'required',
    integration_id: 'optional',
    build_on_push: 'optional',
    ...PROJECT_CONFIG,
  },
  source_revision_config: { repo_ref: 'optional', ...PROJECT_REVISION_CONFIG },
  makesRevision: MAKES_PROJECT_REVISION,
  hasRepository: true,
  isForOneRevision: true,
  checkConfig: ({ repo_url }, { isAdmin }) => checkRepoUrl(repo_url ?? '', isAdmin),
  checkRevision(config) {
    if (config.repo_ref !== null) checkRepoRef(config.repo_ref)
    checkConfigPath(config)
  },
  checkTogether: refuseTagThatIsPushedTo,
} satisfies SourceKind

function refuseTagThatIsPushedTo(
  { repo_ref }: SourceRevisionConfig,
  { build_on_push }: SourceConfig,
): void {
  if (build_on_push !== true || !repo_ref?.startsWith('refs/tags/')) return
  throw new AppError(
    'bad_request',
    'source_config.build_on_push needs a branch: source_revision_config.repo_ref names a tag, ' +
      'and tags do not move. Send build_on_push false, or a branch.',
  )
}
