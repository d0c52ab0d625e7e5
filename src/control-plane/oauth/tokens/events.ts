/** Records events of OAuth tokens. */

import { randomUUID } from 'node:crypto'
import type { z } from '@hono/zod-openapi'
import { type Clock, timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import type { TokenOwner } from '../../../core/oauth/token.ts'
import type { OAuthTokenEvent, TokenEventType } from '../../../core/oauth/token-event.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { answerOf } from '../../../http/answer.ts'
import { TokenEventSchema } from './token-schemas.ts'

/** The token of an event, or the consent that led to no token. */
type Whose = TokenOwner & Pick<OAuthTokenEvent, 'provider_id' | 'scopes'> & Partial<OAuthTokenEvent>

/** Adds an event: with a transaction's store, when the change is written with it. */
export async function tell(
  { oauth }: Pick<ControlPlaneStore, 'oauth'>,
  clock: Clock,
  whose: Whose,
  event: Pick<OAuthTokenEvent, 'source'> & {
    event_type: TokenEventType
    agent_id?: string | null
    reason?: string
  },
): Promise<void> {
  const { workspace_id, user_id, end_user_id, provider_id, scopes } = whose
  const { provider_account_label = null } = whose
  const { agent_id = null, event_type, reason = null, source } = event
  await oauth.events.append({
    ...{ id: randomUUID(), workspace_id, user_id, end_user_id, provider_id, agent_id },
    ...{ event_type, reason, source, provider_account_label, scopes },
    created_at: timestamp(clock),
  })
}

/** Events of the caller's tokens and their end users', the newest first. */
export async function listTokenEvents(
  { store }: { store: ControlPlaneStore },
  { workspace_id, user_id }: Principal,
  query: { provider_id?: string | undefined; limit: number },
): Promise<z.infer<typeof TokenEventSchema>[]> {
  const events = await store.oauth.events.listOfUser({ workspace_id, user_id, ...query })
  const nothing = { detail: null, acknowledged_at: null }
  return events.map((event) => answerOf(TokenEventSchema, event, nothing))
}
