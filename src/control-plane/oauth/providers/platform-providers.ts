/** Providers that the operator offers to every workspace, from a file. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../../../core/errors.ts'
import type { Outgoing } from '../../../core/network/outgoing.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../core/people/api-key.ts'
import { originsOf } from './moved.ts'
import { ProviderCreateRequestSchema } from './provider-schemas.ts'
import { checkUrls, newProvider } from './providers.ts'

/** By slug. `file`: a JSON list of bodies of `POST /v2/auth/providers`. Throws `bad_request`. */
export function readPlatformProviders(file: string, parts: { outgoing: Outgoing; now: string }) {
  const requests = parse(file)
  const providers = requests.map((request) => {
    checkUrls(parts.outgoing, request)
    const own = { id: '', workspace_id: DEFAULT_WORKSPACE_ID, now: parts.now }
    const provider = newProvider(request, own)
    return { ...provider, id: idOf(provider) }
  })
  return new Map(providers.map((provider) => [provider.provider_id, provider]))
}

/**
 * If the operator changes the client or the servers, the provider gets a new id, and no grants of the old one
 * (`moved.ts`).
 */
function idOf(provider: OAuthProvider): string {
  const { provider_id, client_id } = provider
  const text = JSON.stringify([client_id, ...originsOf(provider)])
  const digest = createHash('sha256').update(text).digest('base64url')
  return `platform:${provider_id}:${digest.slice(0, 16)}`
}

function parse(file: string) {
  try {
    return z.array(ProviderCreateRequestSchema).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    // Wrong values may be next to a secret: the error only names the places.
    const where =
      cause instanceof z.ZodError
        ? cause.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
        : 'it cannot be read, or is no JSON'
    throw new AppError('bad_request', `RUNYARD_OAUTH_PROVIDERS, ${file}: ${where}.`)
  }
}
