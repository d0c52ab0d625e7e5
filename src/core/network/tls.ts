/** The certificates of a TLS server. */

/** In PEM: the certificate followed by its chain to a known authority, and its private key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Certificates of single hosts; all others use the server's own. */
export interface CertificateTable {
  /** New connections for this host use it. Throws if TLS rejects it. */
  set(host: string, certificate: Certificate): void
  remove(host: string): void
}

/** Absolute paths. */
export interface CertificateFiles {
  cert: string
  key: string
}
