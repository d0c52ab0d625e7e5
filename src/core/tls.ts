/** What a TLS server proves its identity with. */

/** In PEM: the certificate followed by its chain to a known authority, and its private key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Where it lies; absolute. */
export interface CertificateFiles {
  cert: string
  key: string
}
