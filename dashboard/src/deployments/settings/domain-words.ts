/** Texts about a domain: its DNS target, actual and expected, and the state of its certificate. */
import type { Domain } from '@runyard/client'
import type { Meaning } from '../../api/states.ts'

/** How long before it expires a certificate is shown as due for renewal, in ms. */
const SOON_MS = 14 * 86_400_000

export const DNS_STATES: Record<Domain['dns'], Meaning> = {
  points_here: { word: 'DNS leads here', tone: 'good' },
  elsewhere: { word: 'DNS leads elsewhere', tone: 'wait' },
  unresolved: { word: 'Not in the DNS yet', tone: 'wait' },
  unknown: { word: 'DNS not known', tone: 'off' },
}

/** The tone for a certificate's expiry at `now`, in ms since 1970. */
export function certificateState(expires_at: string, now: number): Meaning['tone'] {
  const leftMs = Date.parse(expires_at) - now
  if (leftMs <= 0) return 'bad'
  return leftMs < SOON_MS ? 'wait' : 'good'
}

export interface DnsRecord {
  type: 'A' | 'AAAA' | 'CNAME'
  value: string
}

/** The DNS record that points a host to this name or address; `undefined`: the address is local to this machine. */
export function recordTo(points_to: string | null): DnsRecord | undefined {
  if (points_to === null || /^(localhost|127\.|0\.0\.0\.0$|::1?$)/.test(points_to)) return undefined
  if (points_to.includes(':')) return { type: 'AAAA', value: points_to }
  if (/^\d+(\.\d+){3}$/.test(points_to)) return { type: 'A', value: points_to }
  return { type: 'CNAME', value: points_to }
}
