/**
 * Looks up the DNS. Whether a host leads here only shows people what is left to do, and decides nothing: a proxy or
 * a CDN in front of Runyard rightly has other addresses. TXT records prove whose a host is.
 */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import type { DnsState } from '../../core/deployment/domain.ts'
import { ExpiringMap } from '../../core/expiring-map.ts'

/** How long an answer may take, in ms: a list waits for it. */
const LIMIT_MS = 1500
/** How long an answer of the DNS is kept, in ms: people who have just changed a record look again and again. */
const KEPT_MS = 15_000
const MOST_KEPT = 1000

interface DnsStatesOptions {
  clock: Clock
  /** Name servers, as `ADDRESS:PORT`. Default: the machine's own. */
  servers?: readonly string[]
  /** Default 1,500 ms. */
  limitMs?: number
}

/** `null`: no name server has answered. */
type Found = { addresses: string[]; alias: string | undefined } | null

export class DnsStates {
  readonly #limitMs: number
  readonly #resolver: Resolver
  readonly #found: ExpiringMap<Promise<Found>>

  constructor({ clock, servers, limitMs = LIMIT_MS }: DnsStatesOptions) {
    this.#found = new ExpiringMap({ entries: MOST_KEPT }, clock)
    this.#limitMs = limitMs
    this.#resolver = new Resolver({ timeout: limitMs, tries: 1 })
    if (servers) this.#resolver.setServers(servers)
  }

  /**
   * Whether `host` leads to `home`, a name or an address. Settles within the limit, and never throws. A slower answer
   * is known the next time.
   */
  async stateOf(host: string, home: string | null): Promise<DnsState> {
    if (home === null) return 'unknown'
    const [there, here] = await Promise.all([this.#inTime(host), this.#inTime(home)])
    if (there === null) return 'unknown'
    if (there.addresses.length === 0) return 'unresolved'
    if (there.alias === home) return 'points_here'
    if (here === null || here.addresses.length === 0) return 'unknown'
    const isHere = there.addresses.some((address) => here.addresses.includes(address))
    return isHere ? 'points_here' : 'elsewhere'
  }

  /**
   * The TXT records of a name, each as one text; looked up anew each time. `null`: no server has answered within the
   * limit.
   */
  async textsOf(name: string): Promise<string[] | null> {
    const found = await this.#within(recordsOf(this.#resolver.resolveTxt(name)))
    return found?.map((pieces) => pieces.join('')) ?? null
  }

  #inTime(name: string): Promise<Found> {
    return this.#within(this.#find(name))
  }

  #within<T>(work: Promise<T>): Promise<T | null> {
    return Promise.race([work, delay(this.#limitMs, null, { ref: false })])
  }

  #find(name: string): Promise<Found> {
    const known = this.#found.get(name)
    if (known) return known
    const found = this.#lookUp(name)
    this.#found.set(name, found, { ttlMs: KEPT_MS })
    return found
  }

  async #lookUp(name: string): Promise<Found> {
    if (isIP(name)) return { addresses: [name], alias: undefined }
    const [v4, v6, aliases] = await Promise.all([
      recordsOf(this.#resolver.resolve4(name)),
      recordsOf(this.#resolver.resolve6(name)),
      recordsOf(this.#resolver.resolveCname(name)),
    ])
    const addresses = [...(v4 ?? []), ...(v6 ?? [])]
    if (addresses.length === 0 && (v4 === null || v6 === null)) return null
    return { addresses, alias: aliases?.[0]?.toLowerCase() }
  }
}

/** Empty: the name has no records; `null`: no name server has answered. */
async function recordsOf<T>(asked: Promise<T[]>): Promise<T[] | null> {
  try {
    return await asked
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null
  }
}
