/** Certificates of nobody's: they are good for a hundred years, but for one. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url))

/** For localhost and 127.0.0.1. */
export const CERTIFICATE_FILES = { cert: path('cert.pem'), key: path('key.pem') }

/** Its subject is `renewed`. */
export const RENEWED_FILES = { cert: path('renewed-cert.pem'), key: path('renewed-key.pem') }

/** PEM texts as the API takes them, each for `agents.example.com`, followed by the authority that has signed it. */
export const DOMAIN_CERTIFICATE = domainCertificate('domain')
export const RENEWED_DOMAIN_CERTIFICATE = domainCertificate('domain-renewed')
/** Since 2021. */
export const EXPIRED_DOMAIN_CERTIFICATE = domainCertificate('domain-expired')

function domainCertificate(name: string) {
  const read = (part: string) => readFileSync(path(`${name}-${part}.pem`), 'utf8')
  return { certificate: read('cert'), private_key: read('key') }
}

export const CERTIFICATE = {
  cert: readFileSync(CERTIFICATE_FILES.cert),
  key: readFileSync(CERTIFICATE_FILES.key),
}
