/**
 * Reports to a gateway of this process which hosts lead to which deployments, and which of them have a certificate of
 * their own. Every process of an installation does so, also while another one leads: its gateway serves TLS too, and
 * must know which hosts are not its own pages. A timer finds changes that other processes made.
 */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { DomainName } from '../../core/deployment/domain.ts'
import type { HostTable } from '../../core/deployment/target.ts'
import type { Log } from '../../core/log.ts'
import type { CertificateTable } from '../../core/network/tls.ts'

/** How often the timer reads the domains, in ms: one statement each time. */
const LOOK_EVERY_MS = 2000

interface KnownDomainsOptions {
  store: Pick<ControlPlaneStore, 'domains'>
  hosts: HostTable
  /** Absent: the gateway speaks no TLS. */
  certificates?: CertificateTable | undefined
  /** Default 2,000 ms. */
  lookEveryMs?: number
  log: Log
}

export class KnownDomains {
  readonly #options: KnownDomainsOptions
  /** The versions of the certificates that the gateway has, by host. */
  readonly #versions = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #last: Promise<void> = Promise.resolve()
  /** The look that has not begun yet. Every caller that has changed a domain waits for it. */
  #next: Promise<void> | undefined

  constructor(options: KnownDomainsOptions) {
    this.#options = options
  }

  /** When it settles, the gateway knows them all. Throws when the database cannot be read. */
  async start(): Promise<void> {
    await this.#look()
    const { lookEveryMs = LOOK_EVERY_MS } = this.#options
    this.#timer = setInterval(() => void this.refresh(), lookEveryMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#last
  }

  /** Settles when the gateway knows what was written before the call. Never throws: the timer looks again. */
  refresh(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined
      await this.#look().catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'the domains could not be read; looking again'),
      )
    })
    this.#last = this.#next
    return this.#next
  }

  async #look(): Promise<void> {
    const { store, hosts, certificates } = this.#options
    const names = await store.domains.listNames()
    hosts.replace(new Map(names.map(({ host, name }) => [host, name])))
    if (certificates) await this.#renew(certificates, names)
  }

  async #renew(certificates: CertificateTable, names: readonly DomainName[]): Promise<void> {
    const wanted = new Map(names.map((one) => [one.host, one.certificate_version]))
    for (const host of this.#versions.keys()) {
      if (wanted.get(host)) continue
      certificates.remove(host)
      this.#versions.delete(host)
    }
    for (const [host, version] of wanted) {
      if (version !== null && this.#versions.get(host) !== version) {
        await this.#take(certificates, host, version)
      }
    }
  }

  /** An unreadable certificate is read again later; an unusable one leaves the present certificate in place. */
  async #take(certificates: CertificateTable, host: string, version: string): Promise<void> {
    const { store, log } = this.#options
    const given = await store.domains.certificateOf(host).catch((error: unknown) => {
      log.error(
        { err: error, host },
        'the certificate of a domain could not be read; looking again',
      )
    })
    if (!given) return
    this.#versions.set(host, version)
    try {
      const { certificate: cert, private_key: key } = given
      certificates.set(host, { cert: Buffer.from(cert), key: Buffer.from(key) })
    } catch (error) {
      log.error({ err: error, host }, 'the certificate of a domain is not taken')
    }
  }
}
