/** Providers whose settings now name another client or server: earlier grants must not go there. */
import { timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import { invalidField } from '../../../core/errors.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { tell } from '../tokens/events.ts'
import type { ProviderUpdateRequest } from './provider-schemas.ts'

const PAGE = 500

/** Whether the provider has another client now, or uses a server that it did not use before. */
export function isMoved(before: OAuthProvider, after: OAuthProvider): boolean {
  const known = originsOf(before)
  return (
    before.client_id !== after.client_id || originsOf(after).some((one) => !known.includes(one))
  )
}

/** A request that sends the secret elsewhere must contain it. Throws `invalid`. */
export function checkSecret({ client_secret }: OAuthProvider, request: ProviderUpdateRequest) {
  if (client_secret === null || request.client_secret) return
  const why = 'Send the secret, too, when the client or the server of a provider changes.'
  throw invalidField(['body', 'client_secret'], why)
}

/** Expires the provider's tokens, deletes their secrets, and ends its open consents. */
export async function endGrants(
  { clock }: Pick<OAuthParts, 'clock'>,
  { oauth }: ControlPlaneStore,
  { id, workspace_id }: OAuthProvider,
): Promise<void> {
  const reason = 'The settings of the provider have changed.'
  const nothing = { access_token: '', refresh_token: null, status: 'expired' } as const
  for (let offset = 0; ; offset += PAGE) {
    const page = await oauth.tokens.listOfProvider(workspace_id, id, PAGE, offset)
    for (const token of page) {
      await oauth.tokens.update(token.id, { ...nothing, updated_at: timestamp(clock) })
      const event = { event_type: 'token_expired', reason, source: 'request' } as const
      await tell({ oauth }, clock, token, event)
    }
    if (page.length < PAGE) break
  }
  await oauth.consents.end(id)
}

/** The origins of the servers that the provider uses. */
export function originsOf({ auth_url, token_url, revocation_url }: OAuthProvider): string[] {
  return [auth_url, token_url, revocation_url].flatMap((url) => (url ? [new URL(url).origin] : []))
}
