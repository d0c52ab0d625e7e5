/** What can be done with the domains of a deployment. */
import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { type Domain, type DomainCertificate, MAX_DOMAINS } from '../../core/deployment/domain.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { isOperator, type Principal } from '../../core/people/api-key.ts'
import type { AuditAction } from '../../core/people/audit.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import { urlAt } from '../deployments/answers.ts'
import { homeOf } from '../deployments/placement.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'
import { certificateAnswer, checkCertificate } from './certificate.ts'
import { canonicalHost, readHost } from './host.ts'
import type { DomainAnswer, DomainCreateRequest, DomainsAnswer } from './schemas.ts'

type Reading = Pick<ControlPlaneParts, 'store' | 'publicUrl' | 'domain' | 'dns'>
type Changing = Reading &
  Pick<ControlPlaneParts, 'ownUrls' | 'whenDomainsKnown' | 'whenTended' | 'clock'>

/** Throws `not_found`. Waits for the DNS no longer than its limit. */
export async function listDomains(
  parts: Reading,
  principal: Principal,
  deployment_id: string,
): Promise<DomainsAnswer> {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const domains = await parts.store.domains.list(deployment_id)
  const home = await homeOf(parts, deployment)
  const resources = await Promise.all(domains.map((one) => answer(parts, one, home)))
  return { resources, points_to: hostOf(home) }
}

/**
 * When it settles, the gateway answers at the host. Throws `not_found`, `bad_request` for a host or a certificate
 * that will not do and for one domain too many, `conflict` where somebody has the host, `forbidden` for those who
 * do not run the installation while nobody has said at which name that is reached.
 */
export async function addDomain(
  parts: Changing,
  principal: Principal,
  deployment_id: string,
  request: DomainCreateRequest,
): Promise<DomainAnswer> {
  const certificate = certificateIn(request)
  return change(parts, principal, deployment_id, async (store, deployment) => {
    requireOwnName(parts, principal)
    const host = readHost(request.host, { urls: parts.ownUrls().urls, domain: parts.domain })
    if (certificate) checkCertificate(certificate, host, parts.clock.now())
    await requireRoom(store, deployment)
    const now = timestamp(parts.clock)
    const made = { id: randomUUID(), deployment_id, host, created_at: now, updated_at: now }
    if (!(await store.domains.insert(made))) throw isTaken(host)
    if (certificate) await store.domains.setCertificate(made.id, certificate, now)
    const domain = { ...made, certificate: certificate?.certificate ?? null }
    return { domain, action: 'domain.create', detail: { has_certificate: certificate !== null } }
  })
}

/** When it settles, the gateway shows this certificate. Throws `not_found`, `bad_request`. */
export async function setDomainCertificate(
  parts: Changing,
  principal: Principal,
  where: { deployment_id: string; host: string },
  given: DomainCertificate,
): Promise<DomainAnswer> {
  return change(parts, principal, where.deployment_id, async (store, deployment) => {
    const before = await requireDomain(store, deployment, where.host)
    checkCertificate(given, before.host, parts.clock.now())
    const domain = await certified(parts, store, before, given)
    const { fingerprint = null, expires_at = null } = certificateAnswer(given.certificate) ?? {}
    return { domain, action: 'domain.update', detail: { fingerprint, expires_at } }
  })
}

/** When it settles, the gateway shows the installation's certificate there. Throws `not_found`. */
export async function removeDomainCertificate(
  parts: Changing,
  principal: Principal,
  where: { deployment_id: string; host: string },
): Promise<void> {
  await change(parts, principal, where.deployment_id, async (store, deployment) => {
    const before = await requireDomain(store, deployment, where.host)
    if (before.certificate === null) {
      throw new AppError('not_found', `The domain ${before.host} has no certificate of its own.`)
    }
    const domain = await certified(parts, store, before, null)
    return { domain, action: 'domain.update', detail: { fingerprint: null } }
  })
}

/** When it settles, the gateway does not answer at the host any more. Throws `not_found`. */
export async function removeDomain(
  parts: Changing,
  principal: Principal,
  where: { deployment_id: string; host: string },
): Promise<void> {
  await change(parts, principal, where.deployment_id, async (store, deployment) => {
    const domain = await requireDomain(store, deployment, where.host)
    await store.domains.delete(domain.id)
    return { domain, action: 'domain.delete', detail: {} }
  })
}

interface Changed {
  domain: Domain
  action: AuditAction
  detail: JsonObject
}

/** In one transaction with its entry in the audit log; then the gateway is told. */
async function change(
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
  return answer(parts, domain, await homeOf(parts, deployment))
}

async function certified(
  { clock }: Pick<Changing, 'clock'>,
  store: ControlPlaneStore,
  before: Domain,
  given: DomainCertificate | null,
): Promise<Domain> {
  const updated_at = timestamp(clock)
  await store.domains.setCertificate(before.id, given, updated_at)
  return { ...before, certificate: given?.certificate ?? null, updated_at }
}

/** One without the other is refused, not left out. */
function certificateIn(request: DomainCreateRequest): DomainCertificate | null {
  const { certificate, private_key } = request
  if (certificate == null && private_key == null) return null
  if (certificate == null) throw new AppError('bad_request', 'certificate: send it with its key.')
  if (private_key == null) {
    throw new AppError('bad_request', 'private_key: send it with the certificate.')
  }
  return { certificate, private_key }
}

async function requireDomain(
  store: ControlPlaneStore,
  { id, name }: Deployment,
  sent: string,
): Promise<Domain> {
  const host = canonicalHost(sent)
  const domain = await store.domains.get(id, host)
  if (domain) return domain
  throw new AppError('not_found', `${name} has no domain ${JSON.stringify(sent.slice(0, 300))}.`)
}

async function requireRoom({ domains }: ControlPlaneStore, { id, name }: Deployment) {
  if ((await domains.listHosts(id)).length < MAX_DOMAINS) return
  const rule = `A deployment has ${MAX_DOMAINS} at most`
  throw new AppError('bad_request', `host: ${rule}, and ${name} has them. Remove one first.`)
}

/**
 * A developer of some workspace could otherwise take the name at which people reach Runyard itself, and see what
 * they send there.
 */
function requireOwnName({ ownUrls }: Pick<Changing, 'ownUrls'>, principal: Principal): void {
  if (ownUrls().areNamed || isOperator(principal)) return
  throw new AppError(
    'forbidden',
    'Domains are added by an admin of the first workspace as long as RUNYARD_PUBLIC_URL is not set: Runyard does ' +
      'not know which name is its own.',
  )
}

function isTaken(host: string): AppError {
  return new AppError('conflict', `The domain ${host} is taken.`)
}

async function answer(parts: Reading, domain: Domain, home: string | null): Promise<DomainAnswer> {
  const { host, certificate, created_at, updated_at } = domain
  return {
    host,
    url: urlAt(host, home ?? parts.publicUrl()),
    dns: await parts.dns.stateOf(host, hostOf(home)),
    certificate: certificate === null ? null : certificateAnswer(certificate),
    created_at,
    updated_at,
  }
}

/** The name or address in the URL; an IPv6 address without its brackets. */
function hostOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
