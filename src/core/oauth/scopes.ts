/** Compares granted scopes with requested ones. Providers rename some scopes. */
import type { OAuthToken } from './token.ts'

/** The longest list of requested scopes, in characters: it is part of a URL. */
export const MAX_SCOPES_CHARS = 4096

/** Scopes of OpenID Connect and for refresh tokens: some providers rename them, some do not repeat them. */
const UNREPEATED =
  /^(openid|profile|email|address|phone|offline(_access)?|refresh_token|.*\/userinfo\.(email|profile))$/

type Grant = Pick<OAuthToken, 'scopes' | 'asked_scopes'>

/** The wanted scopes that were not granted, in their order. */
export function missingScopes(grant: Grant, wanted: readonly string[]): string[] {
  const present = new Set([...repeated(grant), ...renamed(grant)])
  return wanted.filter((one) => !present.has(one) && !isIn(grant.scopes, one))
}

/** Requested scopes that a provider may leave out of its response. */
function repeated({ asked_scopes }: Grant): string[] {
  return asked_scopes.filter((one) => UNREPEATED.test(one))
}

/**
 * Requested scopes that were granted under unknown names. A provider that omits a scope, because the user did not agree
 * to it, returns fewer; one that renames it, as many.
 */
function renamed({ scopes, asked_scopes }: Grant): string[] {
  const absent = asked_scopes.filter((one) => !UNREPEATED.test(one) && !isIn(scopes, one))
  const unknown = scopes.filter((one) => !UNREPEATED.test(one) && !isIn(asked_scopes, one))
  return unknown.length >= absent.length ? absent : []
}

function isIn(scopes: readonly string[], wanted: string): boolean {
  return scopes.some((one) => isSame(one.toLowerCase(), wanted.toLowerCase()))
}

/** `https://graph.microsoft.com/User.Read` is `User.Read`, and `user` of GitHub has `user:email`. */
function isSame(granted: string, wanted: string): boolean {
  if (granted === wanted) return true
  const isPart = granted.endsWith(`/${wanted}`) || wanted.endsWith(`/${granted}`)
  return isPart || wanted.startsWith(`${granted}:`)
}
