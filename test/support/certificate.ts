/** Certificates of nobody's: they are signed by themselves, and good for a hundred years. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

/** For localhost and 127.0.0.1. */
export const CERTIFICATE_FILES = { cert: path('cert.pem'), key: path('key.pem') }

/** Its subject is `renewed`. */
export const RENEWED_FILES = { cert: path('renewed-cert.pem'), key: path('renewed-key.pem') }

export const CERTIFICATE = {
  cert: readFileSync(CERTIFICATE_FILES.cert),
  key: readFileSync(CERTIFICATE_FILES.key),
}
