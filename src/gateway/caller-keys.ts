/** The control-plane keys in a client's request. An agent that saw them could act as its callers. */
import type { IncomingMessage } from 'node:http'
import { hasKeyForm } from '../core/people/api-key.ts'
import { bearerIn } from '../core/people/sent-key.ts'

/**
 * The names of the headers with a Runyard key: the one that `keyIn` finds, and a second one beside it. A client's own
 * bearer token beside `X-Api-Key` is not among them.
 */
export function keyHeadersOf({ headers }: IncomingMessage): ReadonlySet<string> {
  const apiKey = String(headers['x-api-key'] ?? '').trim()
  const bearer = bearerIn(headers.authorization ?? null)
  const names = new Set<string>()
  if (apiKey) names.add('x-api-key')
  const isBearerOurs = !apiKey || bearer === apiKey || (bearer && hasKeyForm(bearer))
  if (bearer && isBearerOurs) names.add('authorization')
  return names
}
