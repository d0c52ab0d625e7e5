/** Certificates, the issuer of user tokens, and the keys for a control plane: each is made from several settings. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isListenerKey } from '../core/deployment/listener.ts'
import { isThisMachine } from '../core/network/ip-range.ts'
import { ROLES } from '../core/people/api-key.ts'
import type { OidcClientSettings, UserTokenSettings } from '../core/people/user-token.ts'
import type { Settings } from './settings.ts'
import type { Environment } from './values.ts'

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

/**
 * The key for the control plane, and where it was found, as words for a message. The key of this machine's own
 * installation, `admin.key` in the data folder, is never sent to another machine.
 */
export function readControlPlaneKey(
  read: Settings,
  url: string,
): { apiKey: string; keySource: string } {
  const given = read.given('RUNYARD_API_KEY')
  if (given) return { keySource: given[0], apiKey: read.get('RUNYARD_API_KEY') ?? '' }
  const file = resolve(read.get('RUNYARD_DATA_DIR'), 'admin.key')
  const isHere = isThisMachine(URL.parse(url)?.hostname ?? '')
  const apiKey = isHere && existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (apiKey === '') {
    const or = isHere ? `, or run this where the data folder is: there is no ${file}` : ''
    read.problem('RUNYARD_API_KEY', `is not set, nor is --api-key: set one of them${or}`)
  }
  return { apiKey, keySource: file }
}

/** Only a listener's own key is accepted, and none is looked for elsewhere. */
export function readListenerKey(read: Settings): string {
  const key = read.get('RUNYARD_API_KEY') ?? ''
  if (!isListenerKey(key)) {
    read.problem('RUNYARD_API_KEY', 'must be the key of a listener, which begins with ryl_')
  }
  return key
}

/** The control plane with its agents' vault; `undefined` unless its URL and a key are both given. */
export function readHome({ RUNYARD_URL, RUNYARD_API_KEY }: Environment) {
  const key = RUNYARD_API_KEY?.trim()
  if (!RUNYARD_URL || !key || !URL.canParse(RUNYARD_URL)) return undefined
  return { url: RUNYARD_URL.replace(/\/+$/, ''), key }
}
