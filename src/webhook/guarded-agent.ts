/** Opens connections only to addresses that webhooks may reach. */
import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import { type IpRange, isInRange } from '../core/network/ip-range.ts'
import { isReachable } from './url-rules.ts'

/** Finds all addresses of a host name. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

/** Uses the machine's own resolver. */
const resolveName: ResolveName = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    )
  })

interface GuardedAgentOptions {
  timeoutMs: number
  /** Default: the machine's own resolver. */
  resolve?: ResolveName
  /**
   * The name of the setting with which the operator allows more, for the message. `null`: there is none. Default
   * `RUNYARD_WEBHOOK_ALLOW`.
   */
  setting?: string | null
  /** Whether public addresses are allowed. Default true. False: only what the operator allows. */
  isPublicReached?: boolean
}

/**
 * Makes a dispatcher that connects to exactly those addresses that were checked: a name is resolved once, so that it
 * cannot mean another address a moment later. It follows no redirects. The caller must check hosts that are addresses
 * themselves, since those are not resolved.
 *
 * The library is loaded here, so that servers start faster; most send no webhook.
 */
export async function createGuardedAgent(
  allowed: readonly IpRange[],
  options: GuardedAgentOptions,
): Promise<Agent> {
  const { timeoutMs, resolve = resolveName, setting = 'RUNYARD_WEBHOOK_ALLOW' } = options
  const { isPublicReached = true } = options
  const isGood = (address: string) =>
    isPublicReached ? isReachable(address, allowed) : isInRange(address, allowed)
  const undici = await import('undici')
  return new undici.Agent({
    connect: { timeout: timeoutMs, lookup: guardedLookup(isGood, { resolve, setting }) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    allowH2: false,
    connections: 16,
    pipelining: 1,
  })
}

function guardedLookup(
  isGood: (address: string) => boolean,
  { resolve, setting }: { resolve: ResolveName; setting: string | null },
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const reachable = addresses.filter(({ address }) => isGood(address))
        const [first] = reachable
        if (!first) callback(forbidden(hostname, setting), '', 0)
        else if (options.all) callback(null, reachable)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, '', 0),
    )
  }
}

function forbidden(hostname: string, setting: string | null): NodeJS.ErrnoException {
  const message = `${hostname} stands for no public address.${adviceOf(setting)}`
  return Object.assign(new Error(message), { code: 'ERR_FORBIDDEN_ADDRESS' })
}

/** The sentence of a refusal that says where the operator can allow the address. */
export function adviceOf(setting: string | null): string {
  return setting === null ? '' : ` The operator can allow it in ${setting}.`
}
