/**
 * GitHub Apps, of the original and of its Forge. Runyard has none and needs none: a deployment of
 * source `github` names any git URL, with what it takes to read it.
 */
import { AppError } from '../../core/errors.ts'
import type { Installation, Repository } from './schemas.ts'

/** None. */
export function listInstallations(): Installation[] {
  return []
}

/** Throws `not_found`, whatever the id. */
export function listRepositories(integration_id: string): Repository[] {
  throw new AppError('not_found', `Integration ID ${integration_id} not found.`)
}

/** Throws `bad_request`: there is nothing to install. */
export function installationLink(): { install_url: string } {
  throw new AppError(
    'bad_request',
    'No GitHub App is set up here, and none is needed: create the deployment with source github ' +
      'and the git URL in source_config.repo_url.',
  )
}
