/** The hosts of their own at whose root deployments answer. */
import type { HostTable } from '../core/deployment/target.ts'

/** The name in a `host` header: in lower case, without its port and a dot at the end. */
export function nameInHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

export class HostNames implements HostTable {
  #names: ReadonlyMap<string, string> = new Map()

  replace(names: ReadonlyMap<string, string>): void {
    this.#names = names
  }

  /** The deployment whose host a `host` header names; each request asks. */
  deploymentAt(host: string | undefined): string | undefined {
    if (this.#names.size === 0 || host === undefined) return undefined
    return this.#names.get(host) ?? this.#names.get(nameInHost(host))
  }
}
