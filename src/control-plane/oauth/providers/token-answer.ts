/**
 * What token endpoints answer, brought to the form of RFC 6749: providers that are older than the
 * standard, or see it their own way, answer otherwise.
 */
import { z } from 'zod'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'

const Text = z.string().min(1)

const SlackAnswer = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  token_type: z.string().optional(),
  authed_user: z.looseObject({ access_token: Text.optional() }).optional(),
})

export type TokenAnswer = Record<string, unknown>

/** The answer as its library and we expect it. What is no JSON object is left to the library. */
export async function normalize(provider: OAuthProvider, response: Response) {
  const text = await response.text()
  const given = parse(text)
  if (!given) return { answer: {}, response: again(response, response.status, text) }
  const answer = withStandardFields(provider.provider_type === 'slack' ? fromSlack(given) : given)
  // GitHub and Slack refuse with 200.
  const isRefusal = typeof answer.error === 'string' && answer.access_token === undefined
  const status = isRefusal && response.status === 200 ? 400 : response.status
  // Who gave the consent is read by `accountOf`: it came from the token endpoint itself.
  const { id_token: _, ...rest } = answer
  const normal = again(response, status, JSON.stringify(rest))
  // The body says more, and the library reads it only where no challenge comes with it.
  if (typeof answer.error === 'string') normal.headers.delete('www-authenticate')
  return { answer, response: normal }
}

function parse(text: string): TokenAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as TokenAnswer) : undefined
  } catch {
    return undefined
  }
}

function again({ headers }: Response, status: number, text: string): Response {
  return new Response(text, { status, headers })
}

/** `oauth.v2.access` answers with a bot's token and a user's; the user's is the one of who consented. */
function fromSlack(given: TokenAnswer): TokenAnswer {
  const { success, data } = SlackAnswer.safeParse(given)
  if (!success) return given
  if (!data.ok) return { error: data.error ?? 'unknown_error' }
  const isOfUser = data.authed_user?.access_token !== undefined
  // A bot's token is nobody's: it would act for all people of the team.
  if (data.token_type === 'bot' && !isOfUser) return { error: 'no_user_token' }
  return { ...given, ...(isOfUser && data.authed_user), token_type: 'bearer' }
}

function withStandardFields(given: TokenAnswer): TokenAnswer {
  // Some say `null` where they have nothing to say.
  const said = Object.entries(given).filter(([, value]) => value !== null)
  const { scope, ...present }: TokenAnswer = Object.fromEntries(said)
  const { token_type = 'bearer', expires_in } = present
  const scopes = scopesOf(scope)
  return {
    ...present,
    ...(present.access_token !== undefined && { token_type }),
    ...(typeof expires_in === 'string' && { expires_in: Number(expires_in) }),
    // Apps of GitHub have permissions and answer with no scopes: that is no refusal of those asked for.
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
