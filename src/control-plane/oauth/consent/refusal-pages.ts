/** Pages about failures of a consent. */
import type { Context } from 'hono'
import { AppError, HTTP_STATUS } from '../../../core/errors.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { findConsent } from './callback.ts'
import { linkOf } from './consents.ts'
import { PAGE_HEADERS, type Page, render } from './pages.ts'

/** Browsers get refusals as a page; programs get JSON, as everywhere. */
export async function orPage(
  c: Context,
  parts: OAuthParts,
  state: string | null | undefined,
  // biome-ignore lint/suspicious/noConfusingVoidType: `refuseInvalid` throws.
  work: () => Promise<Response | void>,
): Promise<never> {
  try {
    return (await work()) as never
  } catch (error) {
    if (!(c.req.header('accept')?.includes('text/html') ?? false)) throw error
    const refusal = asRefusal(parts, error)
    const { retryAfterSeconds } = refusal
    if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds))
    const again = await againOf(parts, refusal, state)
    return (await show(c, problemPage(refusal, again), HTTP_STATUS[refusal.code])) as never
  }
}

/** Unexpected errors go to the log, not to the page. */
function asRefusal({ log }: OAuthParts, error: unknown): AppError {
  if (error instanceof AppError && error.code !== 'internal') return error
  log.error({ err: error }, 'a page of a consent failed')
  return new AppError('internal', 'Something went wrong on the server; its log says more.')
}

/** A browser that came with another user's consent gets no link to it. */
async function againOf(
  parts: OAuthParts,
  { code }: AppError,
  state: string | null | undefined,
): Promise<string | undefined> {
  if (!state || (code !== 'bad_request' && code !== 'unavailable')) return undefined
  return linkOf(parts, await findConsent(parts, state))
}

const TITLES: Partial<Record<AppError['code'], string>> = {
  gone: 'This link is too old',
  not_found: 'This link is not known',
  conflict: 'This link was used already',
  forbidden: 'This cannot be finished here',
  unavailable: 'The provider does not answer',
  invalid: 'This address is not complete',
  too_many_requests: 'Just a moment',
}

function problemPage({ code, message }: AppError, again: string | undefined): Page {
  const title = TITLES[code] ?? 'That did not work'
  const isShort = code === 'too_many_requests' || code === 'internal'
  const how = isShort ? 'Reload this page in a moment.' : 'Ask the agent for another link.'
  const what = again ? 'Nothing was lost: try again.' : how
  return { kind: 'problem', title, text: [message, what], again }
}

/** The page, with its security headers. */
export async function show(c: Context, page: Page, status: number): Promise<Response> {
  return c.html(await render(page), status as 200, { ...PAGE_HEADERS })
}
