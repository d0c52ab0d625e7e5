/**
 * GitHub Apps, of the original and of its Forge. Runyard has none and needs none: a deployment of
 * source `github` names any git URL, with what it takes to read it.
 */
import type { Principal } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { requirePermission } from './permission.ts'
import type { Installation, Repository } from './schemas/integration.ts'

/** None. Throws `forbidden`. */
export function listInstallations(principal: Principal): Installation[] {
  requirePermission(principal, 'read')
  return []
}

/** Throws `not_found`, whatever the id, `forbidden`. */
export function listRepositories(principal: Principal, integration_id: string): Repository[] {
  requirePermission(principal, 'read')
  throw new AppError('not_found', `Integration ID ${integration_id} not found.`)
}

/** Throws `bad_request`: there is nothing to install. */
export function installationLink(principal: Principal): { install_url: string } {
  requirePermission(principal, 'write')
  throw new AppError(
    'bad_request',
    'No GitHub App is set up here, and none is needed: create the deployment with source github ' +
      'and the git URL in source_config.repo_url.',
  )
}
