/** What each source needs, and what it may not have: the refusals that a schema cannot know. */

import type { Source, SourceRevisionConfig } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import { isAllowed, type Principal } from '../../core/people/api-key.ts'
import { checkRepoUrl } from './repo-url.ts'
import type { SourceConfig } from './schemas.ts'

/**
 * Throws `bad_request` when the source is not one that Runyard can run, lacks what it needs, or is
 * given what belongs to another; `forbidden` for a `file://` URL of anyone but an admin.
 */
export function checkSource(source: Source, config: SourceConfig, principal: Principal): void {
  refuseDocker(source)
  onlyFor('external_docker', 'source_config.listener_id', config.listener_id)
  onlyFor('external_docker', 'source_config.listener_config', config.listener_config)
  if (source !== 'github') {
    onlyFor('github', 'source_config.repo_url', config.repo_url)
    onlyFor('github', 'source_config.integration_id', config.integration_id)
    onlyFor('github', 'source_config.build_on_push', config.build_on_push || null)
    return
  }
  const url = required('source_config.repo_url', source, config.repo_url)
  checkRepoUrl(url, isAllowed(principal.role, 'administer'))
}

/** The same for what one revision is made from. `isBuildOnPush`: the deployment's setting. */
export function checkRevisionSource(
  source: Source,
  config: SourceRevisionConfig,
  isBuildOnPush: boolean,
): void {
  refuseDocker(source)
  onlyFor(
    'external_docker or internal_docker',
    'source_revision_config.image_uri',
    config.image_uri,
  )
  if (source === 'github') checkGithub(config, isBuildOnPush)
  else checkTarball(config)
  const path = required(
    'source_revision_config.langgraph_config_path',
    source,
    config.langgraph_config_path,
  )
  checkConfigPath(path)
}

function checkGithub(config: SourceRevisionConfig, isBuildOnPush: boolean): void {
  const where = 'source_revision_config.source_tarball_path'
  onlyFor('internal_source', where, config.source_tarball_path)
  if (config.repo_ref !== null) checkRef(config.repo_ref)
  if (isBuildOnPush && config.repo_ref?.startsWith('refs/tags/')) {
    throw new AppError(
      'bad_request',
      'source_config.build_on_push needs a branch: source_revision_config.repo_ref names a tag, ' +
        'and tags do not move. Send build_on_push false, or a branch.',
    )
  }
}

function checkTarball(config: SourceRevisionConfig): void {
  onlyFor('github', 'source_revision_config.repo_ref', config.repo_ref)
  required(
    'source_revision_config.source_tarball_path',
    'internal_source',
    config.source_tarball_path,
  )
}

/** What git takes as the name of a ref, and nothing that it takes as an option or a range. */
function checkRef(ref: string): void {
  const isRef =
    /^[^-/\s~^:?*[\\][^\s~^:?*[\\]*$/.test(ref) && !/\.\.|@\{|\/\/|\/$|\.lock$/.test(ref)
  if (isRef) return
  throw new AppError(
    'bad_request',
    'source_revision_config.repo_ref must be a branch, a full tag ref (refs/tags/v1) or a commit.',
  )
}

function checkConfigPath(path: string): void {
  const isRelative = !path.startsWith('/') && !path.includes('\\') && !/^[A-Za-z]:/.test(path)
  if (path !== '' && isRelative && !path.split('/').includes('..')) return
  throw new AppError(
    'bad_request',
    'source_revision_config.langgraph_config_path must be a relative path inside the source, ' +
      'such as langgraph.json or agents/langgraph.json.',
  )
}

function refuseDocker(source: Source): void {
  if (source === 'github' || source === 'internal_source') return
  throw new AppError(
    'bad_request',
    `The source ${source} needs a container runtime driver, and none is configured. ` +
      'Use source github or internal_source.',
  )
}

function onlyFor(sources: string, where: string, value: unknown): void {
  if (value === null || value === undefined) return
  throw new AppError('bad_request', `${where} is only for source ${sources}; leave it out.`)
}

function required(where: string, source: Source, value: string | null): string {
  if (value) return value
  throw new AppError('bad_request', `${where} is required for source ${source}.`)
}
