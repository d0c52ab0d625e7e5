/** The hosts of their own at whose root deployments answer. */
import type { HostTable } from '../core/deployment/target.ts'

/** The name in a `host` header: in lower case, without its port and a dot at the end. */
export function nameInHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

interface HostNamesOptions {
  /** The URLs at which this server itself is reached, as far as they are known. */
  ownUrls?: () => readonly (string | null | undefined)[]
  /** Below it, hosts lead to deployments by their names. */
  domain?: string | undefined
}

/**
 * What is this server's own by now never leads to a deployment, though it did when the domain was added: whoever
 * changes the settings could not come in any more.
 */
export class HostNames implements HostTable {
  readonly #options: HostNamesOptions
  #names: ReadonlyMap<string, string> = new Map()

  constructor(options: HostNamesOptions = {}) {
    this.#options = options
  }

  replace(names: ReadonlyMap<string, string>): void {
    const { ownUrls = () => [], domain } = this.#options
    const own = ownUrls().flatMap((url) => (url ? [new URL(url).hostname] : []))
    const isOwn = (host: string) =>
      own.includes(host) ||
      (domain !== undefined && (host === domain || host.endsWith(`.${domain}`)))
    this.#names = new Map([...names].filter(([host]) => !isOwn(host)))
  }

  /** The deployment whose host a `host` header names; each request asks. */
  deploymentAt(host: string | undefined): string | undefined {
    if (this.#names.size === 0 || host === undefined) return undefined
    return this.#names.get(host) ?? this.#names.get(nameInHost(host))
  }
}
