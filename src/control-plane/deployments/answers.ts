/** Stored deployments and revisions as the API answers them. */

import { type Deployment, deploymentTypeOf } from '../../core/deployment/deployment.ts'
import type { Revision, Secret } from '../../core/deployment/revision.ts'
import {
  EMPTY_REVISION_CONFIG,
  type SourceConfig,
  sourceConfigOf,
} from '../../core/deployment/sources/config.ts'
import { withoutCredentials } from '../../core/deployment/sources/repo-url.ts'
import { isAllowed, type Principal } from '../../core/people/api-key.ts'
import type { RevisionAnswer } from '../revisions/schemas.ts'
import type { DeploymentAnswer } from './schemas.ts'

/**
 * `latest` is the newest revision. Values of secrets, and credentials in URLs, are for those who
 * may write; to others the value is `""`.
 */
export function deploymentAnswer(
  deployment: Deployment,
  latest: Revision | undefined,
  to: { principal: Principal; publicUrl: string; domain: string | undefined; hosts: string[] },
): DeploymentAnswer {
  const url = `${to.publicUrl}/agents/${deployment.name}`
  const maySeeSecrets = isAllowed(to.principal.role, 'write')
  return {
    id: deployment.id,
    tenant_id: deployment.tenant_id,
    name: deployment.name,
    display_name: deployment.display_name,
    source: deployment.source,
    source_config: {
      ...sourceConfigAnswer(sourceConfigOf(deployment), url, maySeeSecrets),
      deployment_type: deploymentTypeOf(deployment.source_config),
    },
    source_revision_config: latest?.source_revision_config ?? EMPTY_REVISION_CONFIG,
    secrets: maySeeSecrets ? deployment.secrets : deployment.secrets.map(withoutValue),
    secret_references: null,
    status: deployment.status,
    created_at: deployment.created_at,
    updated_at: deployment.updated_at,
    latest_revision_id: deployment.latest_revision_id,
    active_revision_id: deployment.active_revision_id,
    image_version: null,
    url,
    addresses: [url, ...hostsOf(deployment.name, to).map((host) => urlAt(host, to.publicUrl))],
    is_managed_deep_agent: false,
    is_public: deployment.is_public,
  }
}

/** The hosts at whose root it answers: its name below the domain of the installation, and its own. */
function hostsOf(
  name: string,
  { domain, hosts }: { domain: string | undefined; hosts: string[] },
): string[] {
  return [...(domain ? [`${name.replaceAll('_', '-')}.${domain}`] : []), ...hosts]
}

/** Where a host is answered at its root, behind the same door as the rest. */
export function urlAt(host: string, publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return `${protocol}//${host}${port && `:${port}`}`
}

export function revisionAnswer(revision: Revision): RevisionAnswer {
  return {
    id: revision.id,
    number: revision.number,
    created_at: revision.created_at,
    updated_at: revision.updated_at,
    status: revision.status,
    status_message: revision.status_message,
    deployed_at: revision.deployed_at,
    parked_threads: revision.parked_threads,
    source: revision.source,
    source_revision_config: revision.source_revision_config,
  }
}

/** `false` where it was never set, as in the original's answers. */
function sourceConfigAnswer(
  config: SourceConfig,
  url: string,
  maySeeSecrets: boolean,
): SourceConfig {
  const { repo_url } = config
  return {
    ...config,
    repo_url: repo_url === null || maySeeSecrets ? repo_url : withoutCredentials(repo_url),
    build_on_push: config.build_on_push ?? false,
    parked_threads: config.parked_threads ?? null,
    custom_url: url,
  }
}

function withoutValue({ name }: Secret): Secret {
  return { name, value: '' }
}
