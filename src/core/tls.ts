/** What a TLS server proves its identity with. */

/** In PEM: the certificate followed by its chain to a known authority, and its private key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Certificates of single hosts; all others are shown the server's own. */
export interface CertificateTable {
  /** Who names this host from now on is shown it. Throws where TLS cannot work with it. */
  set(host: string, certificate: Certificate): void
  remove(host: string): void
}

/** Where it lies; absolute. */
export interface CertificateFiles {
  cert: string
  key: string
}
