/** Whose signed user tokens are taken: the `RUNYARD_OIDC_*` settings. */
import { ROLES, type Role } from '../core/api-key.ts'
import { isThisMachine } from '../core/this-machine.ts'
import type { UserTokenSettings } from '../core/user-token.ts'
import type { Settings } from './settings.ts'

/**
 * `RUNYARD_OIDC_ISSUER` and `RUNYARD_OIDC_AUDIENCE` together; `RUNYARD_OIDC_ROLES` such as
 * `platform=admin,*=viewer` (default: the roles by their own names); `RUNYARD_OIDC_ROLE_CLAIM`,
 * default `roles`; `RUNYARD_OIDC_WORKSPACE_CLAIM`; `RUNYARD_OIDC_CLOCK_SKEW_SECS`, default 30.
 */
export function readUserTokens(settings: Settings): UserTokenSettings | undefined {
  const issuer = settings.variable('RUNYARD_OIDC_ISSUER')
  const audience = settings.variable('RUNYARD_OIDC_AUDIENCE')
  if (!issuer && !audience) return undefined
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
    roleClaim: settings.variable('RUNYARD_OIDC_ROLE_CLAIM') ?? 'roles',
    roles: readRoles(settings),
    workspaceClaim: settings.variable('RUNYARD_OIDC_WORKSPACE_CLAIM'),
    clockSkewMs: readClockSkewMs(settings),
  }
}

function readRoles(settings: Settings): Record<string, Role> {
  const text = settings.variable('RUNYARD_OIDC_ROLES')
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

function readClockSkewMs(settings: Settings): number {
  const text = settings.variable('RUNYARD_OIDC_CLOCK_SKEW_SECS') ?? '30'
  if (/^\d{1,3}$/.test(text) && Number(text) <= 300) return Number(text) * 1000
  settings.problem('RUNYARD_OIDC_CLOCK_SKEW_SECS', `must be 0 to 300 seconds, not "${text}"`)
  return 0
}

/** What comes in plain text proves nothing, unless it comes from this machine. */
function isTrustworthy(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
}
