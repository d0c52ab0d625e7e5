/**
 * Converts answers of token endpoints to the form of RFC 6749: providers that are older than the standard,
 * or read it their own way, answer differently.
 */
import { z } from 'zod'
import { isObject, jsonIn } from '../../../core/json.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'

const Text = z.string().min(1)

const SlackAnswer = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  token_type: z.string().optional(),
  authed_user: z.looseObject({ access_token: Text.optional() }).optional(),
})

export type TokenAnswer = Record<string, unknown>

/** The answer as the library and we expect it. The library handles anything but a JSON object. */
export async function normalize(provider: OAuthProvider, response: Response) {
  const text = await response.text()
  const given = jsonIn(text)
  if (!isObject(given)) return { answer: {}, response: again(response, response.status, text) }
  const answer = withStandardFields(provider.provider_type === 'slack' ? fromSlack(given) : given)
  // GitHub and Slack refuse with 200.
  const isRefusal = typeof answer.error === 'string' && answer.access_token === undefined
  const status = isRefusal && response.status === 200 ? 400 : response.status
  // Without the id token, which `accountOf` reads: it came from the token endpoint itself.
  const { id_token: _, ...rest } = answer
  const normal = again(response, status, JSON.stringify(rest))
  // The body says more, but the library ignores it when a challenge comes with it.
  if (typeof answer.error === 'string') normal.headers.delete('www-authenticate')
  return { answer, response: normal }
}

function again({ headers }: Response, status: number, text: string): Response {
  return new Response(text, { status, headers })
}

/** `oauth.v2.access` answers with a bot's token and a user's; the user's belongs to the consenting person. */
function fromSlack(given: TokenAnswer): TokenAnswer {
  const { success, data } = SlackAnswer.safeParse(given)
  if (!success) return given
  if (!data.ok) return { error: data.error ?? 'unknown_error' }
  const isOfUser = data.authed_user?.access_token !== undefined
  // A bot's token belongs to no person: it would act for all people of the team.
  if (data.token_type === 'bot' && !isOfUser) return { error: 'no_user_token' }
  return { ...given, ...(isOfUser && data.authed_user), token_type: 'bearer' }
}

function withStandardFields(given: TokenAnswer): TokenAnswer {
  // Some providers send `null` for absent members.
  const said = Object.entries(given).filter(([, value]) => value !== null)
  const { scope, ...present }: TokenAnswer = Object.fromEntries(said)
  const { token_type = 'bearer', expires_in } = present
  const scopes = scopesOf(scope)
  return {
    ...present,
    ...(present.access_token !== undefined && { token_type }),
    ...(typeof expires_in === 'string' && { expires_in: Number(expires_in) }),
    // GitHub Apps have permissions and answer without scopes: that does not refuse the requested ones.
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  }
}

/** Twitch answers with a list. */
function scopesOf(scope: unknown): string[] {
  const text = Array.isArray(scope) ? scope.join(' ') : scope
  return typeof text === 'string' ? scopesIn(text) : []
}

/** Separated by spaces, as the standard says, or by commas. */
export function scopesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
