/** What every store of token events must do. */
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import { MOST_EVENTS } from '../../../src/core/oauth/token-event.ts'
import { anOAuthTokenEvent } from '../../support/control-plane/control-plane-records.ts'

export function testOAuthTokenEventStore(open: () => ControlPlaneStore): void {
  describe('token events', () => {
    it('are a user’s, those of their end users and of what agents keep for them; newest first', async () => {
      const { events } = open().oauth
      const own = anOAuthTokenEvent()
      const endUser = anOAuthTokenEvent({ end_user_id: 'anna', provider_id: 'slack' })
      const kept = anOAuthTokenEvent({ user_id: 'deployment:1', end_user_id: own.user_id })
      const other = anOAuthTokenEvent({ user_id: 'user-2', end_user_id: own.user_id })
      for (const event of [own, endUser, kept, other]) await events.append(event)
      const { workspace_id, user_id } = own
      const list = (limit: number, provider_id?: string) =>
        events.listOfUser({ workspace_id, user_id, provider_id, limit })
      expect(await list(10)).toEqual([kept, endUser, own])
      expect(await list(1)).toEqual([kept])
      expect(await list(10, 'slack')).toEqual([endUser])
    })

    it('are forgotten when they are old', async () => {
      const { events } = open().oauth
      const [old, young] = [
        anOAuthTokenEvent({ created_at: '2026-08-20T12:00:00.000Z' }),
        anOAuthTokenEvent(),
      ]
      for (const event of [old, young]) await events.append(event)
      await events.forget(young.created_at)
      const { workspace_id, user_id } = young
      expect(await events.listOfUser({ workspace_id, user_id, limit: 10 })).toEqual([young])
    })

    it('are the newest thousand of an owner', async () => {
      const store = open()
      const other = anOAuthTokenEvent({ end_user_id: 'bert' })
      const events = Array.from({ length: MOST_EVENTS + 2 }, () => anOAuthTokenEvent())
      await store.transaction(async ({ oauth }) => {
        for (const event of [other, ...events]) await oauth.events.append(event)
      })
      const { workspace_id, user_id } = other
      const kept = await store.oauth.events.listOfUser({ workspace_id, user_id, limit: 10_000 })
      expect(kept.map(({ id }) => id)).toEqual(
        [...events.slice(2).toReversed(), other].map(({ id }) => id),
      )
    })
  })
}
