/** The issuer of accepted user tokens: the `RUNYARD_OIDC_*` settings. */

import { isThisMachine } from '../core/network/this-machine.ts'
import { ROLES, type Role } from '../core/people/api-key.ts'
import type { OidcClientSettings, UserTokenSettings } from '../core/people/user-token.ts'
import type { Settings } from './settings.ts'
import { rowOf } from './table.ts'

/**
 * Reads them. `RUNYARD_OIDC_ISSUER` and `RUNYARD_OIDC_AUDIENCE` need each other; the others count only with them.
 * `undefined`: neither is set.
 */
export function readUserTokens(settings: Settings): UserTokenSettings | undefined {
  const issuer = settings.value('RUNYARD_OIDC_ISSUER')
  const audience = settings.value('RUNYARD_OIDC_AUDIENCE')
  if (!issuer && !audience) {
    if (settings.value('RUNYARD_OIDC_CLIENT_ID')) {
      settings.problem('RUNYARD_OIDC_CLIENT_ID', 'needs RUNYARD_OIDC_ISSUER to be set')
    }
    return undefined
  }
  if (!issuer || !audience) {
    const missing = issuer ? 'RUNYARD_OIDC_AUDIENCE' : 'RUNYARD_OIDC_ISSUER'
    settings.problem(missing, 'must be set too: an issuer and an audience belong together')
  }
  if (issuer && !isTrustworthy(issuer)) {
    settings.problem('RUNYARD_OIDC_ISSUER', `must be an https URL, not "${issuer}"`)
  }
  return {
    issuer: issuer ?? '',
    audience: audience ?? '',
    roleClaim:
      settings.value('RUNYARD_OIDC_ROLE_CLAIM') ?? rowOf('RUNYARD_OIDC_ROLE_CLAIM').default,
    roles: readRoles(settings),
    workspaceClaim: settings.value('RUNYARD_OIDC_WORKSPACE_CLAIM'),
    client: readClient(settings),
    clockSkewMs: settings.number('RUNYARD_OIDC_CLOCK_SKEW_SECS') * 1000,
  }
}

function readClient(settings: Settings): OidcClientSettings | undefined {
  const clientId = settings.value('RUNYARD_OIDC_CLIENT_ID')
  const clientSecret = settings.value('RUNYARD_OIDC_CLIENT_SECRET')
  const scopes = settings.value('RUNYARD_OIDC_SCOPES') ?? rowOf('RUNYARD_OIDC_SCOPES').default
  if (!clientId) return undefined
  if (!scopes.split(' ').includes('openid')) {
    settings.problem('RUNYARD_OIDC_SCOPES', `must have openid among them, not "${scopes}"`)
  }
  return { clientId, clientSecret, scopes }
}

function readRoles(settings: Settings): Record<string, Role> {
  const text = settings.value('RUNYARD_OIDC_ROLES')
  if (!text) return Object.fromEntries(ROLES.map((role) => [role, role]))
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(?=[^=]*$)/))
  const known = pairs.flatMap(([value, name]): [string, Role][] => {
    const role = ROLES.find((one) => one === name)
    return value && role ? [[value, role]] : []
  })
  if (known.length < pairs.length) {
    const form = `"value=role,…" with roles out of ${ROLES.join(', ')}`
    settings.problem('RUNYARD_OIDC_ROLES', `must be ${form}, not "${text}"`)
  }
  return Object.fromEntries(known)
}

/** Whether the URL uses TLS or is on this machine: plain text from elsewhere proves nothing. */
function isTrustworthy(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
}
