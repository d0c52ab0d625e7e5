/** The deployments' own hosts, at whose root they answer. */
import type { HostTable } from '../core/deployment/target.ts'

/** The name in a `host` header: in lower case, without its port and a dot at the end. */
export function nameInHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

interface HostNamesOptions {
  /** The known URLs of this server itself. */
  ownUrls?: () => readonly (string | null | undefined)[]
  /** The base domain of hosts that are named after deployments. */
  domain?: string | undefined
}

/**
 * A host that is now this server's own never leads to a deployment, even if it did when the domain was added: a change
 * of settings must not lock the operator out.
 */
export class HostNames implements HostTable {
  readonly #options: HostNamesOptions
  #names: ReadonlyMap<string, string> = new Map()

  constructor(options: HostNamesOptions = {}) {
    this.#options = options
  }

  replace(names: ReadonlyMap<string, string>): void {
    const { domain } = this.#options
    const own = this.#ownHosts()
    const isOwn = (host: string) =>
      own.includes(host) ||
      (domain !== undefined && (host === domain || host.endsWith(`.${domain}`)))
    this.#names = new Map([...names].filter(([host]) => !isOwn(host)))
  }

  /** Whether this domain contains hosts of Runyard itself or of other deployments; the `host` itself does not count. */
  isShared(domain: string, host: string | undefined): boolean {
    const name = nameInHost(domain.replace(/^\./, ''))
    if (host !== undefined && name === nameInHost(host)) return false
    const whose = this.deploymentAt(host)
    const others = [...this.#names].filter(([, deployment]) => deployment !== whose)
    const { domain: base = [] } = this.#options
    return [...this.#ownHosts(), ...others.map(([other]) => other)]
      .concat(base)
      .some((one) => one === name || one.endsWith(`.${name}`))
  }

  #ownHosts(): string[] {
    const { ownUrls = () => [] } = this.#options
    return ownUrls().flatMap((url) => (url ? [new URL(url).hostname] : []))
  }

  /** The deployment whose host a `host` header names; called for each request. */
  deploymentAt(host: string | undefined): string | undefined {
    if (this.#names.size === 0 || host === undefined) return undefined
    return this.#names.get(host) ?? this.#names.get(nameInHost(host))
  }
}
