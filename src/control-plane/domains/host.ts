/** Which hosts a deployment may have: names outside Runyard, whose owners lead them here. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { AppError } from '../../core/errors.ts'

/** Where Runyard itself answers. */
interface OwnPlaces {
  /** The URLs of this Runyard, as far as it knows them. */
  urls: readonly string[]
  /** `RUNYARD_DOMAIN`, below which deployments have their names. */
  domain?: string | undefined
}

const MOST_LETTERS = 253
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The host as stored: in lower case and ASCII, without a dot at the end. Throws `bad_request` for anything but a plain
 * host name, for addresses and names that the public DNS cannot know, and for hosts of Runyard itself.
 */
export function readHost(sent: string, own: OwnPlaces): string {
  const shape = whyNoName(sent)
  if (shape) throw refused(sent, shape)
  const host = canonicalHost(sent)
  const why = whyNoDomain(host) ?? whyOwn(host, own)
  if (why) throw refused(sent, why)
  return host
}

/** The same without a check, to find a stored host; `''` for text that is no host. */
export function canonicalHost(sent: string): string {
  return domainToASCII(sent.replace(/\.$/, ''))
}

function refused(sent: string, why: string): AppError {
  return new AppError('bad_request', `host: ${JSON.stringify(sent.slice(0, 300))} ${why}`)
}

/** A scheme, port or path is refused, not cut off: the domain would have another address than the one sent. */
function whyNoName(sent: string): string | undefined {
  if (sent.includes('://')) return 'has a scheme. Send the name alone, such as agents.example.com.'
  if (/[/?#\\]/.test(sent)) return 'has a path. Send the name alone, such as agents.example.com.'
  if (isIP(sent.replace(/^\[|\]$/g, ''))) return 'is an address. A domain is a name.'
  if (sent.includes(':')) return 'has a port. Send the name alone, such as agents.example.com.'
  if (sent.includes('*')) return 'is a wildcard. Add each name by itself.'
  if (/[\s@%]/.test(sent)) return 'is no host name.'
  return undefined
}

function whyNoDomain(host: string): string | undefined {
  const labels = host.split('.')
  // `0x7f.1` is an address too, in the eyes of browsers.
  if (isIP(host)) return 'is an address. A domain is a name.'
  if (host === '' || host.length > MOST_LETTERS || !labels.every((label) => LABEL.test(label))) {
    return 'is no host name: letters, digits and "-", in parts with dots between them.'
  }
  const last = labels.at(-1) ?? ''
  if (last === 'localhost') return 'is this machine for everybody who asks for it.'
  if (last === 'local' || last === 'internal')
    return `ends in ".${last}", which each network uses for itself: such a name has no owner.`
  if (labels.length < 2) return 'has no dot, so that DNS cannot find it.'
  if (!/[a-z]/.test(last)) return 'ends in a number. A domain is a name.'
  return undefined
}

function whyOwn(host: string, { urls, domain }: OwnPlaces): string | undefined {
  if (urls.some((url) => URL.canParse(url) && new URL(url).hostname === host)) {
    return 'is where Runyard itself answers.'
  }
  if (domain === undefined || (host !== domain && !host.endsWith(`.${domain}`))) return undefined
  return `belongs to RUNYARD_DOMAIN: what lies below ${domain} is led to deployments by their names.`
}
