/**
 * What operations on domains share: every change has a transaction, an audit log entry, and an update of the gateway;
 * every answer shows the domain with its DNS and its certificate.
 */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Domain } from '../../core/deployment/domain.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { AuditAction } from '../../core/people/audit.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import { urlAt } from '../deployments/deployment-answers.ts'
import { homeOf } from '../deployments/placement.ts'
import { record } from '../people/audit.ts'
import { certificateAnswer } from './certificate.ts'
import { type DomainAnswer, DomainSchema } from './domain-schemas.ts'
import { canonicalHost } from './host.ts'

export type Changing = Reading &
  Pick<ControlPlaneParts, 'domain' | 'ownUrls' | 'whenDomainsKnown' | 'whenTended' | 'clock'>

/** A domain after the change, and its entry for the audit log. */
interface Changed {
  domain: Domain
  action: AuditAction
  detail: JsonObject
}

/**
 * Does the work in one transaction; when it settles, the gateway knows of it. Throws what the work throws,
 * `not_found`, and `conflict` while the deployment is being deleted.
 */
export async function changeDomain(
  parts: Changing,
  principal: Principal,
  deployment_id: string,
  work: (store: ControlPlaneStore, deployment: Deployment) => Promise<Changed>,
): Promise<DomainAnswer> {
  const { deployment, domain } = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    const { domain, action, detail } = await work(store, deployment)
    await record(store, parts.clock, principal, {
      ...{ action, target_id: domain.id, target_name: domain.host },
      detail: { deployment_id, deployment: deployment.name, ...detail },
    })
    return { deployment, domain }
  })
  await parts.whenDomainsKnown()
  await parts.whenTended(deployment_id)
  return domainAnswer(parts, domain, await homeOf(parts, deployment))
}

/** The domain, written in any way. Throws `not_found`. */
export async function requireDomain(
  store: ControlPlaneStore,
  { id, name }: Deployment,
  sent: string,
): Promise<Domain> {
  const domain = await store.domains.get(id, canonicalHost(sent))
  if (domain) return domain
  throw new AppError('not_found', `${name} has no domain ${JSON.stringify(sent.slice(0, 300))}.`)
}

export type Reading = Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'dns'>

/**
 * `home`: the URL of the gateway in front of the deployment; `null`: not known yet. Waits for the DNS no longer than
 * its limit.
 */
export async function domainAnswer(
  { dns, publicUrl }: Reading,
  domain: Domain,
  home: string | null,
): Promise<DomainAnswer> {
  const { host, certificate } = domain
  return answerOf(DomainSchema, domain, {
    url: urlAt(host, home ?? publicUrl()),
    dns: await dns.stateOf(host, hostOf(home)),
    certificate: certificate === null ? null : certificateAnswer(certificate),
  })
}

/** The name or address in the URL; an IPv6 address without its brackets. */
export function hostOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
