/** Ranges of IP addresses, as they are written in settings, and which hosts are public or this machine. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Addresses that share their first bits. */
export type IpRange = readonly [base: Address, bits: number]

const WORDS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Reads an address (`10.1.2.3`), a range (`10.0.0.0/8`), or one of the words `loopback` and `private`.
 * `undefined`: the text is none of these.
 */
export function parseIpRange(text: string): readonly IpRange[] | undefined {
  const word = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined
  if (word) return word.map((range) => ipaddr.parseCIDR(range))
  if (ipaddr.isValidCIDR(text)) return [ipaddr.parseCIDR(text)]
  if (!isFullAddress(text)) return undefined
  const address = ipaddr.process(text)
  return [[address, address.kind() === 'ipv4' ? 32 : 128]]
}

/** An IPv4 address that is written as an IPv6 address counts as IPv4. */
export function isInRange(address: string, ranges: readonly IpRange[]): boolean {
  const parsed = ipaddr.process(address)
  return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))
}

/** Azure's metadata service. It is the only one with an address among the public ones. */
const SPECIAL = '168.63.129.16'
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether the address is one of the public Internet: not loopback, private, link-local, shared, reserved,
 * multicast, a tunnel to one of those, or the metadata service of a cloud.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === SPECIAL) return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST)
}

function isFullAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

/** Whether a URL's host name means this machine (loopback). */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
