/** The certificates of single hosts, which clients name when they connect (SNI). */
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Certificate, CertificateTable } from '../../core/network/tls.ts'

export class Certificates implements CertificateTable {
  readonly #contexts = new Map<string, SecureContext>()

  set(host: string, certificate: Certificate): void {
    this.#contexts.set(host, createSecureContext(certificate))
  }

  remove(host: string): void {
    this.#contexts.delete(host)
  }

  /** The certificate for this host; `undefined`: the server's own. */
  contextFor(servername: string): SecureContext | undefined {
    return this.#contexts.get(servername.toLowerCase())
  }
}
