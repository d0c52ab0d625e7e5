/** The settings of who may call a server, and of the certificate that it shows: several belong together. */
import { ROLES } from '../core/people/api-key.ts'
import type { OidcClientSettings, UserTokenSettings } from '../core/people/user-token.ts'
import type { Settings } from './settings.ts'

/** The absolute paths of the certificate and its key. Each needs the other. */
export function readCertificate(read: Settings): { cert: string; key: string } | undefined {
  const [cert, key] = [read.get('RUNYARD_TLS_CERT'), read.get('RUNYARD_TLS_KEY')]
  if (cert !== undefined && key !== undefined) return { cert, key }
  if (key !== undefined) read.problem('RUNYARD_TLS_CERT', 'has to be set with RUNYARD_TLS_KEY')
  if (cert !== undefined) read.problem('RUNYARD_TLS_KEY', 'has to be set with RUNYARD_TLS_CERT')
  return undefined
}

/**
 * The issuer of accepted user tokens. `RUNYARD_OIDC_ISSUER` and `RUNYARD_OIDC_AUDIENCE` need each other; the others
 * count only with them. `undefined`: neither is set.
 */
export function readUserTokens(read: Settings): UserTokenSettings | undefined {
  const audience = read.get('RUNYARD_OIDC_AUDIENCE')
  const isIssuerGiven = read.given('RUNYARD_OIDC_ISSUER') !== undefined
  if (!isIssuerGiven && !audience) {
    if (read.get('RUNYARD_OIDC_CLIENT_ID')) {
      read.problem('RUNYARD_OIDC_CLIENT_ID', 'needs RUNYARD_OIDC_ISSUER to be set')
    }
    return undefined
  }
  if (!isIssuerGiven || !audience) {
    const missing = isIssuerGiven ? 'RUNYARD_OIDC_AUDIENCE' : 'RUNYARD_OIDC_ISSUER'
    read.problem(missing, 'must be set too: an issuer and an audience belong together')
  }
  return {
    issuer: read.get('RUNYARD_OIDC_ISSUER') ?? '',
    audience: audience ?? '',
    roleClaim: read.get('RUNYARD_OIDC_ROLE_CLAIM'),
    roles: read.get('RUNYARD_OIDC_ROLES') ?? Object.fromEntries(ROLES.map((role) => [role, role])),
    workspaceClaim: read.get('RUNYARD_OIDC_WORKSPACE_CLAIM'),
    client: readClient(read),
    clockSkewMs: read.get('RUNYARD_OIDC_CLOCK_SKEW_SECS'),
  }
}

function readClient(read: Settings): OidcClientSettings | undefined {
  const clientId = read.get('RUNYARD_OIDC_CLIENT_ID')
  const clientSecret = read.get('RUNYARD_OIDC_CLIENT_SECRET')
  const scopes = read.get('RUNYARD_OIDC_SCOPES')
  if (clientId === undefined) return undefined
  if (!scopes.split(' ').includes('openid')) {
    read.problem('RUNYARD_OIDC_SCOPES', `must have openid among them, not "${scopes}"`)
  }
  return { clientId, clientSecret, scopes }
}
