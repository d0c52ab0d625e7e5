/** The control-plane keys in a client's request. An agent that saw them could act as its callers. */
import type { IncomingMessage } from 'node:http'
import { hasKeyForm } from '../core/people/api-key.ts'

/**
 * The names of the headers that hold the key by which the request is let in, as `keyIn` looks for it, or another key of
 * ours. A bearer token of the client's own beside our key is none of them.
 */
export function keyHeadersOf({ headers }: IncomingMessage): ReadonlySet<string> {
  const apiKey = String(headers['x-api-key'] ?? '').trim()
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const names = new Set<string>()
  if (apiKey) names.add('x-api-key')
  const isBearerOurs = !apiKey || bearer === apiKey || (bearer && hasKeyForm(bearer))
  if (bearer && isBearerOurs) names.add('authorization')
  return names
}
