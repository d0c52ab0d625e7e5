/** Operations on the domains of a deployment and on their certificates. */
import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { type Domain, type DomainCertificate, MAX_DOMAINS } from '../../core/deployment/domain.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import { isOperator, type Principal } from '../../core/people/api-key.ts'
import { requireDeployment } from '../deployments/access.ts'
import { homeOf } from '../deployments/placement.ts'
import { certificateAnswer, checkCertificate } from './certificate.ts'
import {
  type Changing,
  changeDomain,
  domainAnswer,
  hostOf,
  type Reading,
  requireDomain,
} from './change.ts'
import type { DomainAnswer, DomainCreateRequest } from './domain-schemas.ts'
import { readHost } from './host.ts'
import { needsProof, releaseDomain, requireProof } from './proof.ts'

/** Throws `not_found`. Waits for the DNS no longer than its limit. */
export async function listDomains(parts: Reading, principal: Principal, deployment_id: string) {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const domains = await parts.store.domains.list(deployment_id)
  const home = await homeOf(parts, deployment)
  const resources = await Promise.all(domains.map((one) => domainAnswer(parts, one, home)))
  return { resources, points_to: hostOf(home) }
}

/**
 * When it settles, the gateway serves the host. Throws `not_found`, `bad_request` for an unfit host or certificate
 * and for one domain too many, `conflict` when the host is taken, `forbidden` when a proof of ownership is needed and
 * missing, and for all but operators while no setting names the host of the installation itself.
 */
export async function addDomain(
  parts: Changing,
  principal: Principal,
  deployment_id: string,
  request: DomainCreateRequest,
): Promise<DomainAnswer> {
  const certificate = certificateIn(request)
  const proven = await proveHost(parts, principal, deployment_id, request.host)
  return changeDomain(parts, principal, deployment_id, async (store, deployment) => {
    const host = await hostFor({ ...parts, store }, principal, deployment, request.host)
    // Checked again: another request may have changed it since.
    const needs = await needsProof({ ...parts, store }, principal, host)
    if (needs && proven !== host) throw hasChanged(host)
    if (certificate) checkFor(parts, deployment, certificate, host)
    await requireRoom(store, deployment)
    const now = timestamp(parts.clock)
    const made = { id: randomUUID(), deployment_id, host, created_at: now, updated_at: now }
    if (!(await store.domains.insert(made))) throw isTaken(host)
    if (certificate) await store.domains.setCertificate(made.id, certificate, now)
    const domain = { ...made, certificate: certificate?.certificate ?? null }
    return { domain, action: 'domain.create', detail: { has_certificate: certificate !== null } }
  })
}

/**
 * Before the transaction, since it waits for the DNS. Returns the host if it was proven; throws if it cannot be added.
 * A workspace that could not have the host does not learn that it is taken.
 */
async function proveHost(
  parts: Changing,
  principal: Principal,
  deployment_id: string,
  sent: string,
): Promise<string | undefined> {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const host = await hostFor(parts, principal, deployment, sent)
  await refusePublicSuffix(host)
  if (await parts.store.domains.get(deployment_id, host)) throw isTaken(host)
  if (!(await needsProof(parts, principal, host))) return undefined
  await requireProof(parts, principal, host)
  return host
}

async function hostFor(
  parts: Changing,
  principal: Principal,
  deployment: Deployment,
  sent: string,
): Promise<string> {
  requireOwnName(parts, principal)
  const home = await requireHome(parts, deployment)
  return readHost(sent, { urls: [...parts.ownUrls().urls, home], domain: parts.domain })
}

/** When it settles, the gateway no longer serves the host. Throws `not_found`. */
export async function removeDomain(
  parts: Changing,
  principal: Principal,
  { deployment_id, host }: { deployment_id: string; host: string },
): Promise<void> {
  await changeDomain(parts, principal, deployment_id, async (store, deployment) => {
    const domain = await requireDomain(store, deployment, host)
    await store.domains.delete(domain.id)
    await releaseDomain({ ...parts, store }, domain.host, deployment.tenant_id)
    return { domain, action: 'domain.delete', detail: {} }
  })
}

/** A certificate or a key alone is refused, not ignored. */
function certificateIn(request: DomainCreateRequest): DomainCertificate | null {
  const { certificate, private_key } = request
  if (certificate == null && private_key == null) return null
  if (certificate == null) throw new AppError('bad_request', 'certificate: send it with its key.')
  if (private_key == null) {
    throw new AppError('bad_request', 'private_key: send it with the certificate.')
  }
  return { certificate, private_key }
}

/**
 * A developer of any workspace could otherwise take Runyard's own host name, and read the requests that people
 * send there.
 */
function requireOwnName({ ownUrls }: Pick<Changing, 'ownUrls'>, principal: Principal): void {
  if (ownUrls().areNamed || isOperator(principal)) return
  throw new AppError(
    'forbidden',
    'Domains are added by an admin of the first workspace as long as RUNYARD_PUBLIC_URL is not set: Runyard does ' +
      'not know which name is its own.',
  )
}

/** The host of the listener itself must not be taken either. */
async function requireHome(parts: Pick<Reading, 'store' | 'publicUrl'>, deployment: Deployment) {
  const home = await homeOf(parts, deployment)
  if (home !== null) return home
  throw new AppError(
    'bad_request',
    'host: the listener of this deployment has not said yet at which URL its gateway answers. Start it first.',
  )
}

async function requireRoom({ domains }: ControlPlaneStore, { id, name }: Deployment) {
  if ((await domains.listHosts(id)).length < MAX_DOMAINS) return
  const rule = `A deployment has ${MAX_DOMAINS} at most`
  throw new AppError('bad_request', `host: ${rule}, and ${name} has them. Remove one first.`)
}

function hasChanged(host: string): AppError {
  return new AppError('conflict', `host: whose ${host} is has changed just now. Send it again.`)
}

function isTaken(host: string): AppError {
  return new AppError('conflict', `The domain ${host} is taken.`)
}

/** Throws `bad_request` for a host that the Public Suffix List names, private ones such as `github.io` too. */
async function refusePublicSuffix(host: string): Promise<void> {
  // The list takes 10 MB, and most installations add no domains.
  const { getDomain } = await import('tldts')
  if (getDomain(host, { allowPrivateDomains: true }) !== null) return
  const why = 'is a public suffix: many owners have names below it. Add a name of your own.'
  throw new AppError('bad_request', `host: ${JSON.stringify(host)} ${why}`)
}

interface Where {
  deployment_id: string
  host: string
}

/** When it settles, the gateway shows this certificate. Throws `not_found`, `bad_request`. */
export async function setDomainCertificate(
  parts: Changing,
  principal: Principal,
  { deployment_id, host }: Where,
  given: DomainCertificate,
): Promise<DomainAnswer> {
  return changeDomain(parts, principal, deployment_id, async (store, deployment) => {
    const before = await requireDomain(store, deployment, host)
    checkFor(parts, deployment, given, before.host)
    const domain = await certified(parts, store, before, given)
    const { fingerprint = null, expires_at = null } = certificateAnswer(given.certificate) ?? {}
    return { domain, action: 'domain.update', detail: { fingerprint, expires_at } }
  })
}

/** When it settles, the gateway shows the installation's certificate there. Throws `not_found`. */
export async function removeDomainCertificate(
  parts: Changing,
  principal: Principal,
  { deployment_id, host }: Where,
): Promise<void> {
  await changeDomain(parts, principal, deployment_id, async (store, deployment) => {
    const before = await requireDomain(store, deployment, host)
    if (before.certificate === null) {
      throw new AppError('not_found', `The domain ${before.host} has no certificate of its own.`)
    }
    const domain = await certified(parts, store, before, null)
    return { domain, action: 'domain.update', detail: { fingerprint: null } }
  })
}

/** Throws `bad_request` for a certificate that does not fit this host, and where the gateway can use none. */
function checkFor(
  { clock }: Pick<Changing, 'clock'>,
  deployment: Deployment,
  given: DomainCertificate,
  host: string,
): void {
  if (sourceConfigOf(deployment).listener_id !== null) {
    throw new AppError(
      'bad_request',
      'certificate: the deployment answers at its listener, whose gateway shows the certificate that it was started ' +
        'with (RUNYARD_TLS_CERT). Let that one be for this host too.',
    )
  }
  checkCertificate(given, host, clock.now())
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
