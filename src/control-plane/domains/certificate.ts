/** Certificates of domains: checked when they are set, and answered without their keys. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { momentOf } from '../../core/clock.ts'
import type { DomainCertificate } from '../../core/deployment/domain.ts'
import { AppError } from '../../core/errors.ts'
import type { CertificateAnswer } from './domain-schemas.ts'

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** The longest chains have four. */
const MOST_CERTIFICATES = 10

/**
 * Throws `bad_request`, naming the field, when it is no certificate in PEM, does not match the key or the host,
 * or is not valid at `now`. `now` is in ms since 1970.
 */
export function checkCertificate(given: DomainCertificate, host: string, now: number): void {
  const chain = readChain(given.certificate)
  const [own] = chain
  if (!own.checkHost(host, { subject: 'never' })) {
    throw refused('certificate', `it is not for ${host}, but for ${namesOf(own).join(', ')}.`)
  }
  const [from, until] = [Date.parse(own.validFrom), Date.parse(own.validTo)]
  if (now >= until) throw refused('certificate', `it has expired, ${momentOf(until)}.`)
  if (now < from) throw refused('certificate', `it is not valid before ${momentOf(from)}.`)
  if (!own.checkPrivateKey(readKey(given.private_key))) {
    throw refused('private_key', 'it is not the key of this certificate.')
  }
  requireUse(given)
}

/** `null`: the stored certificate cannot be read any more. */
export function certificateAnswer(certificate: string): CertificateAnswer | null {
  try {
    const own = new X509Certificate(certificate)
    return {
      issuer: own.issuer.split('\n').join(', '),
      names: namesOf(own),
      not_before: momentOf(Date.parse(own.validFrom)),
      expires_at: momentOf(Date.parse(own.validTo)),
      fingerprint: own.fingerprint256,
    }
  } catch {
    return null
  }
}

function readChain(pem: string): [X509Certificate, ...X509Certificate[]] {
  const texts = pem.match(PEM) ?? []
  if (texts.length > MOST_CERTIFICATES) {
    throw refused('certificate', `there are more than ${MOST_CERTIFICATES} in it.`)
  }
  try {
    const [own, ...further] = texts.map((text) => new X509Certificate(text))
    if (own) return [own, ...further]
  } catch {
    // It looks like PEM, but is no certificate.
  }
  const what = 'a certificate in PEM, followed by those of its chain'
  throw refused('certificate', `it must be ${what} (-----BEGIN CERTIFICATE-----).`)
}

/** The refusal contains nothing of the key, nor of OpenSSL's message about it. */
function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    const what = 'a private key in PEM that no passphrase protects'
    throw refused('private_key', `it must be ${what} (-----BEGIN PRIVATE KEY-----).`)
  }
}

/** TLS has rules of its own, such as for the length of keys. */
function requireUse({ certificate, private_key }: DomainCertificate): void {
  try {
    createSecureContext({ cert: certificate, key: private_key })
  } catch {
    throw refused('certificate', 'TLS cannot work with it: is its key long enough?')
  }
}

function refused(field: keyof DomainCertificate, why: string): AppError {
  return new AppError('bad_request', `${field}: ${why}`)
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length))
}
