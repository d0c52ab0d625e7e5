/** Stored deployments and revisions as the API answers them. */

import { type Deployment, deploymentTypeOf } from '../../core/deployment/deployment.ts'
import type { Revision, Secret } from '../../core/deployment/revision.ts'
import { EMPTY_REVISION_CONFIG, sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { withoutCredentials } from '../../core/deployment/sources/repo-url.ts'
import { isAllowed, type Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { SourceConfigSchema } from '../sources/source-schemas.ts'
import { type DeploymentAnswer, DeploymentSchema } from './deployment-schemas.ts'
import { addressOf } from './placement.ts'

/**
 * The answer with the configuration of `latest`, the newest revision. Only callers who may write see values of secrets
 * and credentials in URLs; others see the value `""`.
 */
export async function deploymentAnswer(
  parts: Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain'>,
  principal: Principal,
  { deployment, latest }: { deployment: Deployment; latest: Revision | undefined },
): Promise<DeploymentAnswer> {
  const address = await addressOf(parts, deployment)
  const url = `${address.publicUrl}/agents/${deployment.name}`
  const hosts = hostsOf(deployment.name, address)
  const maySeeSecrets = isAllowed(principal.role, 'write')
  const config = sourceConfigOf(deployment)
  const { repo_url } = config
  return answerOf(DeploymentSchema, deployment, {
    source_config: answerOf(SourceConfigSchema, config, {
      deployment_type: deploymentTypeOf(deployment.source_config),
      repo_url: repo_url === null || maySeeSecrets ? repo_url : withoutCredentials(repo_url),
      // `false` if it was never set, as LangGraph Platform answers.
      build_on_push: config.build_on_push ?? false,
      parked_threads: config.parked_threads ?? null,
      webhooks: config.webhooks ?? [],
      custom_url: url,
    }),
    source_revision_config: latest?.source_revision_config ?? EMPTY_REVISION_CONFIG,
    secrets: maySeeSecrets ? deployment.secrets : deployment.secrets.map(withoutValue),
    secret_references: null,
    image_version: null,
    url,
    addresses: [url, ...hosts.map((host) => urlAt(host, address.publicUrl))],
    is_managed_deep_agent: false,
  })
}

/** The hosts whose root leads to the deployment: its name below the installation's domain, and its own domains. */
function hostsOf(
  name: string,
  { domain, hosts }: { domain: string | undefined; hosts: string[] },
): string[] {
  return [...(domain ? [`${name.replaceAll('_', '-')}.${domain}`] : []), ...hosts]
}

/** The root URL of a host, with the protocol and port of the public URL. */
export function urlAt(host: string, publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return `${protocol}//${host}${port && `:${port}`}`
}

function withoutValue({ name }: Secret): Secret {
  return { name, value: '' }
}
