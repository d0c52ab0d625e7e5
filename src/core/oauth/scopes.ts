/** Whether what a provider has granted is what was asked for. Providers name some scopes otherwise. */
import type { OAuthToken } from './token.ts'

/** The longest list of scopes that is asked for, in characters: it stands in an address. */
export const MAX_SCOPES_CHARS = 4096

/** Of OpenID Connect, and for refresh tokens: some providers rename these, some do not repeat them. */
const UNREPEATED =
  /^(openid|profile|email|address|phone|offline(_access)?|refresh_token|.*\/userinfo\.(email|profile))$/

type Grant = Pick<OAuthToken, 'scopes' | 'asked_scopes'>

/** Those of the wanted scopes that were not granted, in their order. */
export function missingScopes(grant: Grant, wanted: readonly string[]): string[] {
  const present = new Set([...repeated(grant), ...renamed(grant)])
  return wanted.filter((one) => !present.has(one) && !isIn(grant.scopes, one))
}

/** Those that were asked for and that no provider need mention in its answer. */
function repeated({ asked_scopes }: Grant): string[] {
  return asked_scopes.filter((one) => UNREPEATED.test(one))
}

/**
 * Those that were asked for and have come under names that nobody knows. A provider that leaves a scope
 * out, because the person did not agree to it, answers with fewer; one that renames it, with as many.
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
