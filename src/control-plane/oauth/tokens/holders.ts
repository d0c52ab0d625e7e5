/** Ends all grants of a holder: open links and tokens. */
import type { GrantHolder } from '../../../core/oauth/token.ts'
import { requireProviderOf } from '../providers/providers.ts'
import {
  type Removal,
  type RemovalParts,
  type RemovedCounts,
  removeTokens,
} from '../providers/removal.ts'

/** The consents go first: the grant of a code that is being exchanged is then revoked, and not stored. */
export async function removeGrants(
  parts: RemovalParts,
  holder: GrantHolder,
  how: Omit<Removal, 'next' | 'providerOf'>,
): Promise<RemovedCounts> {
  await parts.store.oauth.consents.deleteOfHolder(holder)
  return removeTokens(parts, {
    ...how,
    next: ({ oauth }, limit) => oauth.tokens.listOfHolder(holder, limit),
    providerOf: (token) => requireProviderOf(parts, token),
  })
}
