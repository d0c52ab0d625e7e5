/** What every store of OAuth tokens must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import { anOAuthToken } from '../../support/control-plane-records.ts'

export function testOAuthTokenStore(open: () => ControlPlaneStore): void {
  describe('OAuth tokens', () => {
    it('lists an owner’s of a provider as they were stored, in the order created', async () => {
      const { tokens } = open().oauth
      const first = anOAuthToken()
      const second = anOAuthToken({
        provider_account_label: null,
        account_id: null,
        refresh_token: null,
        scopes: [],
        expires_at: null,
        is_default: false,
        retry_at: 1_790_000_000_000,
        metadata: {},
        created_at: '2026-11-20T12:00:01.000Z',
      })
      const others = [
        anOAuthToken({ end_user_id: 'anna' }),
        anOAuthToken({ provider_id: 'slack' }),
        anOAuthToken({ provider_key: 'another' }),
        anOAuthToken({ user_id: 'user-2' }),
        anOAuthToken({ workspace_id: randomUUID() }),
      ]
      for (const token of [second, first, ...others]) await tokens.insert(token)
      expect(await tokens.listOf(first, 'key-of-github')).toEqual([first, second])
      expect(await tokens.get(second.id)).toEqual(second)
      expect(await tokens.get(randomUUID())).toBeUndefined()
    })

    it('lists with a user’s own those of their end users, and what agents keep for them', async () => {
      const { tokens } = open().oauth
      const own = anOAuthToken()
      const endUser = anOAuthToken({ end_user_id: 'anna', provider_id: 'slack' })
      const kept = anOAuthToken({ user_id: 'deployment:1', end_user_id: own.user_id })
      const others = [
        anOAuthToken({ user_id: 'user-2', end_user_id: own.user_id }),
        anOAuthToken({ user_id: 'deployment:1', end_user_id: 'user-2' }),
        anOAuthToken({ workspace_id: randomUUID() }),
      ]
      for (const token of [own, endUser, kept, ...others]) await tokens.insert(token)
      const ids = (list: { id: string }[]) => list.map(({ id }) => id).toSorted()
      expect(ids(await tokens.listOfUser(own))).toEqual(ids([own, endUser, kept]))
      expect(ids(await tokens.listOfUser(own, 'github'))).toEqual(ids([own, kept]))
    })

    it('lists those of a provider in a workspace', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken({ workspace_id: randomUUID() })
      for (const one of [token, anOAuthToken()]) await tokens.insert(one)
      expect(await tokens.listOfProvider(token.workspace_id, 'key-of-github')).toEqual([token])
      expect(await tokens.listOfProvider(token.workspace_id, 'key-of-slack')).toEqual([])
    })

    it('changes what is named and counts the grants', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      await tokens.update(token.id, { status: 'expired', is_default: false })
      const grant = { access_token: 'second', refresh_token: null, expires_at: null }
      await tokens.update(token.id, { ...grant, status: 'active' })
      const now = { ...token, ...grant, is_default: false, version: 2 }
      expect(await tokens.get(token.id)).toEqual(now)
    })

    it('leaves one default for an owner and a provider', async () => {
      const { tokens } = open().oauth
      const [chosen, before] = [anOAuthToken(), anOAuthToken()]
      const others = [anOAuthToken({ provider_id: 'slack' }), anOAuthToken({ end_user_id: 'anna' })]
      for (const token of [chosen, before, ...others]) await tokens.insert(token)
      await tokens.clearDefault(chosen)
      const isDefault = async ({ id }: { id: string }) => (await tokens.get(id))?.is_default
      expect(await Promise.all([chosen, before, ...others].map(isDefault))).toEqual([
        true,
        false,
        true,
        true,
      ])
    })

    it('deletes one, once', async () => {
      const { tokens } = open().oauth
      const [token, other] = [anOAuthToken(), anOAuthToken()]
      for (const one of [token, other]) await tokens.insert(one)
      expect(await tokens.delete(token.id)).toBe(true)
      expect(await tokens.delete(token.id)).toBe(false)
      expect(await tokens.listOf(token, 'key-of-github')).toEqual([other])
    })

    it('gives the right to refresh a token to one at a time, until its time is over', async () => {
      const { tokens } = open().oauth
      const { id, version } = anOAuthToken()
      await tokens.insert(anOAuthToken({ id }))
      const claim = (holder: string, now: number) =>
        tokens.claimRefresh({ id, version, holder, now, until: now + 100 })
      const claims = ['a', 'b', 'c'].map((holder) => claim(holder, 1000))
      const won = await Promise.all(claims)
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await claim('late', 1099)).toBe(false)
      expect(await claim('later', 1100)).toBe(true)
      const patch = { access_token: 'new', refresh_token: 'next', expires_at: null }
      const first = ['a', 'b', 'c'][won.indexOf(true)] ?? ''
      expect(await tokens.endRefresh({ id, holder: first }, patch)).toBe(false)
      expect((await tokens.get(id))?.access_token).toBe('access')
      expect(await tokens.endRefresh({ id, holder: 'later' }, patch)).toBe(true)
      expect(await tokens.get(id)).toMatchObject({ ...patch, version: version + 1 })
      expect(await tokens.endRefresh({ id, holder: 'later' }, patch)).toBe(false)
    })

    it('gives no right to refresh what was granted anew, has expired or is gone', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const claim = (version: number) =>
        tokens.claimRefresh({ id: token.id, version, holder: 'a', now: 1, until: 2 })
      await tokens.update(token.id, { access_token: 'second' })
      expect(await claim(1)).toBe(false)
      await tokens.update(token.id, { status: 'expired' })
      expect(await claim(2)).toBe(false)
      await tokens.delete(token.id)
      expect(await claim(2)).toBe(false)
    })

    it('ends a claim with a new grant of another kind', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const claim = { id: token.id, version: 1, holder: 'a', now: 1, until: 1000 }
      expect(await tokens.claimRefresh(claim)).toBe(true)
      await tokens.update(token.id, { access_token: 'by consent' })
      expect(await tokens.endRefresh(claim, { access_token: 'by refresh' })).toBe(false)
      expect((await tokens.get(token.id))?.access_token).toBe('by consent')
    })

    it('leaves a claim to its holder when only a name or the default changes', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const claim = { id: token.id, version: 1, holder: 'a', now: 1, until: 1000 }
      expect(await tokens.claimRefresh(claim)).toBe(true)
      await tokens.update(token.id, { provider_account_label: 'work', is_default: false })
      expect(await tokens.endRefresh(claim, { access_token: 'by refresh' })).toBe(true)
      const now = { access_token: 'by refresh', provider_account_label: 'work', is_default: false }
      expect(await tokens.get(token.id)).toMatchObject(now)
    })
  })
}
