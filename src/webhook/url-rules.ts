/** Decides which URLs a run may name as its webhook. */
import { isIP } from 'node:net'
import type { WebhookConfig } from '../core/agent/webhook.ts'
import { type IpRange, isInRange, isPublic } from '../core/network/ip-range.ts'

/** The rules from `webhooks.url` of `langgraph.json`, and those of the operator. */
export type UrlRules = WebhookConfig['url'] & {
  /** Addresses that may be reached although they are not public. */
  allowedAddresses: readonly IpRange[]
}

/** Where a webhook goes: to a path of this server, or to another server. */
export type Destination = { kind: 'local'; path: string } | { kind: 'remote'; url: URL }

/** Returns the webhook's destination, or in `problem` why it is refused, as a sentence that says what to do. */
export function destinationOf(text: string, rules: UrlRules): Destination | { problem: string } {
  if (text.length > rules.maxLength) {
    return {
      problem: `The URL has ${text.length} characters; at most ${rules.maxLength} are taken.`,
    }
  }
  return text.startsWith('/') ? localDestination(text, rules) : remoteDestination(text, rules)
}

/** Only used to make a URL of a path; nothing is ever sent there. */
const OWN_BASE = 'http://runyard.invalid'

function localDestination(text: string, rules: UrlRules): Destination | { problem: string } {
  if (rules.isLocalRefused) {
    return { problem: 'Paths of this server are refused by "disable_loopback"; give a whole URL.' }
  }
  const url = URL.parse(text, OWN_BASE)
  // "//host" and "/\host" would lead to another server.
  if (url?.origin !== OWN_BASE) return { problem: 'A path of this server begins with one slash.' }
  return { kind: 'local', path: `${url.pathname}${url.search}` }
}

function remoteDestination(text: string, rules: UrlRules): Destination | { problem: string } {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return { problem: 'Give an http or https URL, or a path of this server that begins with "/".' }
  }
  const problem = CHECKS.map((check) => check(url, rules)).find((one) => one !== undefined)
  return problem === undefined ? { kind: 'remote', url } : { problem }
}

const CHECKS: readonly ((url: URL, rules: UrlRules) => string | undefined)[] = [
  ({ username, password }) =>
    username || password
      ? 'A URL must not hold a password: it would be shown with the run. Use webhooks.headers.'
      : undefined,
  ({ protocol }, { isHttpsRequired }) =>
    isHttpsRequired && protocol !== 'https:' ? 'The URL must begin with https.' : undefined,
  ({ hostname }, { allowedDomains }) =>
    allowedDomains.length > 0 && !allowedDomains.some((domain) => isWithin(hostname, domain))
      ? `The host "${hostname}" is not one of webhooks.url.allowed_domains.`
      : undefined,
  (url, { allowedPorts }) =>
    allowedPorts.length > 0 && !allowedPorts.includes(portOf(url))
      ? `The port ${portOf(url)} is not one of webhooks.url.allowed_ports.`
      : undefined,
  ({ hostname }, rules) => addressProblem(hostname, rules),
]

function isWithin(hostname: string, domain: string): boolean {
  const name = domain.toLowerCase()
  return name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/** Checks a host that is an address. A name is checked at each connection, when its addresses are known. */
function addressProblem(
  hostname: string,
  { allowedAddresses: allowed, isPrivateRefused }: UrlRules,
): string | undefined {
  const address = addressIn(hostname)
  if (address === undefined || isReachable(address, allowed)) return undefined
  const hint = isPrivateRefused
    ? 'The project refuses others with webhooks.url.disable_private_ips.'
    : 'The operator can allow it in RUNYARD_WEBHOOK_ALLOW.'
  return `${hostname} is not a public address. ${hint}`
}

/** The address that the host of a URL is. `undefined`: it is a name, whose addresses are known at each connection. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (/^(.*\.)?localhost\.?$/.test(bare)) return '127.0.0.1'
  return isIP(bare) === 0 ? undefined : bare
}

/** Whether webhooks may connect to the address. */
export function isReachable(address: string, allowed: readonly IpRange[]): boolean {
  return isPublic(address) || isInRange(address, allowed)
}
