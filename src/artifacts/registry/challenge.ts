/** The challenge in a registry's 401: how a client has to log in. */

export interface Challenge {
  scheme: 'basic' | 'bearer'
  /** Where to get a token, for which service and scope; of a bearer only. */
  realm?: string
  service?: string
  scope?: string
}

const PARAMETER = /([a-z_]{1,32})="([^"]{0,2048})"/gi

/** Reads the header `www-authenticate`. `undefined`: nothing that Runyard can answer. */
export function parseChallenge(header: string | null): Challenge | undefined {
  const [scheme = '', ...rest] = (header ?? '').trim().split(' ')
  const parameters = Object.fromEntries(
    [...rest.join(' ').matchAll(PARAMETER)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  )
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
  if (scheme.toLowerCase() !== 'bearer' || !parameters.realm) return undefined
  const { realm, service, scope } = parameters
  return { scheme: 'bearer', realm, ...(service && { service }), ...(scope && { scope }) }
}
