/** What every store of OAuth tokens must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { anOAuthToken } from '../support/control-plane-records.ts'

export function testOAuthTokenStore(open: () => ControlPlaneStore): void {
  describe('OAuth tokens', () => {
    it('lists an owner’s tokens as they were stored, in the order created', async () => {
      const { oauthTokens } = open()
      const first = anOAuthToken()
      const second = anOAuthToken({
        provider_id: 'slack',
        provider_account_label: null,
        refresh_token: null,
        scopes: [],
        expires_at: null,
        is_default: false,
        created_at: '2026-11-20T12:00:01.000Z',
      })
      await oauthTokens.insert(second)
      await oauthTokens.insert(first)
      expect(await oauthTokens.listOf(first)).toEqual([first, second])
    })

    it('deletes the owner’s tokens of one provider, and nobody else’s', async () => {
      const { oauthTokens } = open()
      const owner = anOAuthToken()
      const sameUserElsewhere = anOAuthToken({ workspace_id: randomUUID() })
      const colleague = anOAuthToken({ user_id: 'user-2' })
      const otherProvider = anOAuthToken({ provider_id: 'slack' })
      const kept = [sameUserElsewhere, colleague, otherProvider]
      for (const token of [owner, anOAuthToken(), ...kept]) await oauthTokens.insert(token)
      expect(await oauthTokens.deleteOf(owner, 'github')).toBe(2)
      expect(await oauthTokens.listOf(owner)).toEqual([otherProvider])
      expect(await oauthTokens.listOf(sameUserElsewhere)).toEqual([sameUserElsewhere])
      expect(await oauthTokens.listOf(colleague)).toEqual([colleague])
    })

    it('says so when there was nothing to delete', async () => {
      expect(await open().oauthTokens.deleteOf(anOAuthToken(), 'github')).toBe(0)
    })
  })
}
