/** Setting and removing the certificates of domains. */
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Domain, DomainCertificate } from '../../core/deployment/domain.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { certificateAnswer, checkCertificate } from './certificate.ts'
import { type Changing, changeDomain, requireDomain } from './change.ts'
import type { DomainAnswer } from './domain-schemas.ts'

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
export function checkFor(
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
