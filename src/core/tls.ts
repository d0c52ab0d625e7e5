/** What a server that speaks TLS shows who it is by. */

/** PEM: the certificate with those that lead to a known one behind it, and its private key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Where it lies; absolute. */
export interface CertificateFiles {
  cert: string
  key: string
}
