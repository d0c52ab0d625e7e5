/** Asks providers again to revoke tokens that are already removed here. */
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import {
  MOST_ATTEMPTS,
  type OAuthRevocation,
  revocationWaitMs,
} from '../../../core/oauth/revocation.ts'
import type { OAuthParts } from '../parts.ts'
import { unlessAborted } from './removal.ts'

type Parts = Pick<OAuthParts, 'store' | 'vault' | 'clock' | 'log'>

/** How many tokens a round revokes, and how many at once. */
const PER_ROUND = 40
const AT_ONCE = 8

/** One round of the upkeep. Rejects when `signal` is aborted: a provider must not keep the server from stopping. */
export async function revokeAgain(parts: Parts, signal: AbortSignal): Promise<void> {
  const due = await parts.store.oauth.revocations.listDue(parts.clock.now(), PER_ROUND)
  for (let i = 0; i < due.length; i += AT_ONCE) {
    signal.throwIfAborted()
    const some = due.slice(i, i + AT_ONCE)
    await unlessAborted(Promise.all(some.map((one) => tryAgain(parts, one))), { signal })
  }
}

async function tryAgain(parts: Parts, revocation: OAuthRevocation): Promise<void> {
  const { store, vault, clock, log } = parts
  const { id, provider, grant } = revocation
  const { revocations } = store.oauth
  if (await isGivenAnew(store, revocation)) return revocations.delete(id)
  try {
    await vault.servers.revoke(provider, { ...grant, expires_at: null })
    await revocations.delete(id)
  } catch (error) {
    const attempts = revocation.attempts + 1
    const about = { reason: (error as Error).message, token_id: id, attempts }
    if (attempts >= MOST_ATTEMPTS) {
      log.warn(about, 'no provider has taken a token back that is gone here; it is left to run out')
      return revocations.delete(id)
    }
    log.debug(about, 'a token could not be given back; its provider is asked again')
    await revocations.postpone(id, { attempts, next_at: clock.now() + revocationWaitMs(attempts) })
  }
}

/** Whether the owner has a newer token: revoking one token of an account may revoke all. */
async function isGivenAnew(
  { oauth }: Pick<ControlPlaneStore, 'oauth'>,
  { provider, ...owner }: OAuthRevocation,
): Promise<boolean> {
  return (await oauth.tokens.listOf(owner, provider.id)).length > 0
}
