/** How requests become what is stored: a source's configuration, and the next revision's. */
import { isDeepStrictEqual } from 'node:util'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision, Source, SourceRevisionConfig } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { SourceConfig, SourceConfigRequest, SourceRevisionConfigRequest } from './schemas.ts'

export const EMPTY_SOURCE_CONFIG: SourceConfig = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  build_on_push: null,
  custom_url: null,
  resource_spec: null,
  listener_id: null,
  listener_config: null,
  install_command: null,
  build_command: null,
  parked_threads: null,
}

export const EMPTY_REVISION_CONFIG: SourceRevisionConfig = {
  repo_ref: null,
  langgraph_config_path: null,
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
}

const IMMUTABLE = [
  'integration_id',
  'repo_url',
  'deployment_type',
  'listener_id',
  'listener_config',
] as const

/** A deployment's configuration; it is stored as JSON, with every member present. */
export function sourceConfigOf(deployment: Pick<Deployment, 'source_config'>): SourceConfig {
  return deployment.source_config as unknown as SourceConfig
}

export function storedSourceConfig(config: SourceConfig): JsonObject {
  return config as unknown as JsonObject
}

/**
 * The configuration with what was sent; null and absent members stay as they are, and
 * `custom_url` is Runyard's own.
 */
export function withSourceConfig(
  stored: SourceConfig,
  sent: SourceConfigRequest | null | undefined,
): SourceConfig {
  const { custom_url: _, ...changes } = withoutNulls(sent ?? {})
  return { ...stored, ...changes } as SourceConfig
}

/** Throws `bad_request` when a member that stays as created is sent with another value. */
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
 * What the next revision is made from: the previous one's configuration with what was sent. Of a
 * revision of another source only the way to `langgraph.json` is kept.
 */
export function withRevisionConfig(
  source: Source,
  previous: Revision | undefined,
  sent: SourceRevisionConfigRequest | null | undefined,
): SourceRevisionConfig {
  const before = previous?.source_revision_config ?? EMPTY_REVISION_CONFIG
  const kept =
    previous?.source === source
      ? before
      : { ...EMPTY_REVISION_CONFIG, langgraph_config_path: before.langgraph_config_path }
  const config = { ...kept, repo_commit_sha: null, ...withoutNulls(sent ?? {}) }
  // The official CLIs create tarball deployments without saying where the file lies.
  if (source === 'internal_source') config.langgraph_config_path ??= 'langgraph.json'
  return config as SourceRevisionConfig
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
