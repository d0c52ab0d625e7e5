/** How registries are reached: the operator's as the operator says, all others by the rules for outgoing requests. */
import type { OwnRegistry } from '../../core/deployment/images/registry.ts'
import { AppError } from '../../core/errors.ts'
import type { Outgoing } from '../../core/network/outgoing.ts'
import type { Way } from './client.ts'

interface Ways {
  /** The operator's; requests to it are not guarded. */
  own: OwnRegistry | undefined
  ownOutgoing: Outgoing
  /** Goes to public addresses, and to those that the operator allows. */
  outgoing: Outgoing
}

/** Docker Hub's interface has a host of its own. */
const HUB = 'https://registry-1.docker.io'

export function createWays({ own, ownOutgoing, outgoing }: Ways): (registry: string) => Way {
  const ownUrl = own && new URL(own.url)
  return (registry) => {
    if (ownUrl?.host === registry) return { base: ownUrl.origin, outgoing: ownOutgoing }
    if (registry === 'docker.io') return { base: HUB, outgoing }
    // Engines speak without TLS to registries of their own machine too.
    const scheme = isLoopback(registry) ? 'http' : 'https'
    const base = `${scheme}://${registry}`
    refuseUnreachable(registry, base, outgoing)
    return { base, outgoing }
  }
}

/** Throws `bad_request`: trying again would not help. */
function refuseUnreachable(registry: string, base: string, outgoing: Outgoing): void {
  const url = URL.parse(base)
  const problem = url ? outgoing.problemOf(url) : 'It is no host with a port.'
  if (problem === undefined) return
  throw new AppError(
    'bad_request',
    isLoopback(registry)
      ? `The registry ${registry} is on the control plane's own machine. Name one elsewhere, which speaks TLS; ` +
          'or the operator allows this one in RUNYARD_REGISTRY_ALLOW.'
      : `The registry ${registry} is not asked. ${problem}`,
  )
}

function isLoopback(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '')
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}
