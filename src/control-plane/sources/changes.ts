/** Applies requests to stored configurations: the source's, and the next revision's. */
import { isDeepStrictEqual } from 'node:util'
import type { Revision } from '../../core/deployment/revision.ts'
import {
  EMPTY_REVISION_CONFIG,
  type SourceConfig,
  type SourceRevisionConfig,
} from '../../core/deployment/sources/config.ts'
import { kindOf, type Source } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'
import type { SourceConfigRequest, SourceRevisionConfigRequest } from './source-schemas.ts'

const IMMUTABLE = [
  'integration_id',
  'repo_url',
  'deployment_type',
  'listener_id',
  'listener_config',
] as const

/**
 * The configuration with the sent members; null and absent members change nothing, an empty command removes
 * it, and Runyard sets `custom_url` itself.
 */
export function withSourceConfig(
  stored: SourceConfig,
  sent: SourceConfigRequest | null | undefined,
): SourceConfig {
  const { custom_url: _, ...changes } = withoutNulls(sent ?? {})
  const { install_command, build_command } = changes
  return {
    ...stored,
    ...changes,
    ...(install_command === '' && { install_command: null }),
    ...(build_command === '' && { build_command: null }),
  } as SourceConfig
}

/** Throws `bad_request` when an immutable member is sent with another value. */
export function refuseImmutable(
  stored: SourceConfig,
  sent: SourceConfigRequest | null | undefined,
): void {
  const changes: Record<string, unknown> = withoutNulls(sent ?? {})
  for (const name of IMMUTABLE) {
    if (!(name in changes) || isDeepStrictEqual(changes[name], stored[name])) continue
    throw new AppError(
      'bad_request',
      `source_config.${name} cannot be changed after a deployment was created; leave it out.`,
    )
  }
}

/**
 * The next revision's configuration: the previous one's with the sent members. After a change of source, only
 * members that both sources take are kept.
 */
export function withRevisionConfig(
  source: Source,
  previous: Pick<Revision, 'source_revision_config'> | undefined,
  sent: SourceRevisionConfigRequest | null | undefined,
): SourceRevisionConfig {
  const { defaults, source_revision_config: taken } = kindOf(source)
  const before = Object.entries(withoutNulls(previous?.source_revision_config ?? {}))
  const kept = Object.fromEntries(before.filter(([member]) => member in taken))
  const config = { ...EMPTY_REVISION_CONFIG, ...defaults, ...kept, ...withoutNulls(sent ?? {}) }
  return config as SourceRevisionConfig
}

/** Whether a change of the deployment makes a revision of this source. */
export function makesRevision(
  source: Source,
  sent: SourceConfigRequest | null | undefined,
): boolean {
  const changes = withoutNulls(sent ?? {})
  return kindOf(source).makesRevision.some((member) => member in changes)
}

/** Whether any member was given. */
export function isGiven(sent: object | null | undefined): boolean {
  return Object.keys(withoutNulls(sent ?? {})).length > 0
}

/** The members that are neither absent nor null. */
function withoutNulls<T extends object>(sent: T): Partial<T> {
  const members = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(members) as Partial<T>
}
