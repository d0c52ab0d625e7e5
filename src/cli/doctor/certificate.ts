/** Findings about the validity of certificates. */
import { X509Certificate } from 'node:crypto'
import type { CertifiedDomain } from '../../core/deployment/domain.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

/** Automatic renewals have happened by then. */
const SOON_MS = 14 * 24 * 60 * 60 * 1000

/** The installation's own: without a valid one clients cannot connect. `read` throws errors of its files. */
export function inspectOwnCertificate(read: () => Buffer): Finding {
  const mend = 'renew it, or set RUNYARD_TLS_CERT and RUNYARD_TLS_KEY to one that is good'
  try {
    const { validity, names, until } = readValidity(read())
    const says = `for ${names}, until ${until}`
    if (validity === 'expired') return failed('certificate', `${says}: it has expired`, mend)
    return validity === 'expiring' ? warning('certificate', says, mend) : ok('certificate', says)
  } catch (error) {
    return failed('certificate', error instanceof Error ? error.message : String(error), mend)
  }
}

/** Of domains: a late renewal is a warning, since the rest of Runyard works; empty without domains. */
export function inspectDomainCertificates(
  domains: readonly CertifiedDomain[],
  now = Date.now(),
): Finding[] {
  const late = domains.flatMap(({ name, host, certificate }) => {
    const { validity, until } = readValidity(certificate, now)
    if (validity === 'valid') return []
    const says = `the certificate of ${host} ${validity === 'expired' ? 'has expired' : 'expires'}: ${until}`
    const mend = `runyard domains certificate ${name} ${host} --certificate FILE --key FILE`
    return [warning('domains', says, mend)]
  })
  if (late.length > 0 || domains.length === 0) return late
  return [ok('domains', `certificates that are valid: ${domains.length}`)]
}

/** `expired`: no longer valid. `expiring`: valid for less than two weeks. */
type Validity = 'valid' | 'expiring' | 'expired'

/** `pem`: the certificate, followed by its chain. Throws if it is invalid. */
function readValidity(
  pem: string | Buffer,
  now = Date.now(),
): { validity: Validity; names: string; until: string } {
  const { validTo, subjectAltName } = new X509Certificate(pem)
  const leftMs = Date.parse(validTo) - now
  const validity = leftMs < 0 ? 'expired' : leftMs < SOON_MS ? 'expiring' : 'valid'
  return { validity, names: subjectAltName ?? 'no name', until: validTo }
}
