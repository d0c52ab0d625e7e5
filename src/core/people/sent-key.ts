/**
 * The API key or token of a request, as `X-Api-Key: KEY` or `Authorization: Bearer KEY`. The first form wins when both
 * are sent, so a client can send its own bearer token beside our key.
 */
import { AppError } from '../errors.ts'

export function keyIn(headers: HeaderReader): string | undefined {
  return headers.get('x-api-key')?.trim() || bearerIn(headers.get('authorization')) || undefined
}

/** Throws `unauthenticated` without a key. */
export function requireKeyIn(headers: HeaderReader): string {
  const key = keyIn(headers)
  if (key !== undefined) return key
  throw noKey()
}

export function noKey(): AppError {
  const how = 'Send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY".'
  return new AppError('unauthenticated', `An API key is needed. ${how}`)
}

/** The token in an `Authorization: Bearer TOKEN` header. */
export function bearerIn(authorization: string | null): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** The headers of a request, read by their names in lower case. A `Headers` is one. */
export type HeaderReader = Pick<Headers, 'get' | 'has'>
