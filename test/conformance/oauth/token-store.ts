/** What every store of OAuth tokens must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import {
  anApiKey,
  anOAuthConsent,
  anOAuthToken,
} from '../../support/control-plane/control-plane-records.ts'

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
      const query = { workspace_id: own.workspace_id, user_id: own.user_id }
      expect(ids(await tokens.listOfUser({ ...query, limit: 10 }))).toEqual(
        ids([own, endUser, kept]),
      )
      const ofGithub = { ...query, provider_id: 'github', limit: 10 }
      expect(ids(await tokens.listOfUser(ofGithub))).toEqual(ids([own, kept]))
      const pages = [0, 1, 2, 3].map((offset) => tokens.listOfUser({ ...query, limit: 1, offset }))
      expect(ids((await Promise.all(pages)).flat())).toEqual(ids([own, endUser, kept]))
    })

    it('lists those of a provider in a workspace', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken({ workspace_id: randomUUID() })
      for (const one of [token, anOAuthToken()]) await tokens.insert(one)
      expect(await tokens.listOfProvider(token.workspace_id, 'key-of-github', 10)).toEqual([token])
      expect(await tokens.listOfProvider(token.workspace_id, 'key-of-slack', 10)).toEqual([])
    })

    it('tells whether a user, or a workspace, has an active one of a provider', async () => {
      const { tokens } = open().oauth
      const workspace_id = randomUUID()
      const own = anOAuthToken({ workspace_id, end_user_id: 'anna' })
      const ended = anOAuthToken({ workspace_id, provider_id: 'slack', status: 'expired' })
      for (const token of [own, ended]) await tokens.insert(token)
      const has = (user_id: string, provider: string) =>
        tokens.hasActive({ workspace_id, user_id }, `key-of-${provider}`)
      const asked = [has('user-1', 'github'), has('user-1', 'slack'), has('user-2', 'github')]
      expect(await Promise.all(asked)).toEqual([true, false, false])
      const anyOf = (...keys: string[]) => tokens.hasActiveOfProviders(workspace_id, keys)
      expect(await anyOf('key-of-slack', 'key-of-github')).toBe(true)
      expect(await anyOf('key-of-slack')).toBe(false)
      expect(await anyOf()).toBe(false)
    })

    it('lists those of a holder: a workspace’s, a caller’s, and what anybody keeps of a person', async () => {
      const { tokens } = open().oauth
      const workspace_id = randomUUID()
      const [own, ofAnna, annas, other] = [
        anOAuthToken({ workspace_id }),
        anOAuthToken({ workspace_id, end_user_id: 'anna' }),
        anOAuthToken({ workspace_id, user_id: 'anna' }),
        anOAuthToken({ workspace_id, user_id: 'user-2', end_user_id: 'bert' }),
      ]
      const elsewhere = anOAuthToken({ workspace_id: randomUUID(), end_user_id: 'anna' })
      for (const token of [own, ofAnna, annas, other, elsewhere]) await tokens.insert(token)
      const held = async (holder: object) =>
        (await tokens.listOfHolder({ workspace_id, ...holder }, 10)).map(({ id }) => id).toSorted()
      const ids = (...list: { id: string }[]) => list.map(({ id }) => id).toSorted()
      expect(await held({})).toEqual(ids(own, ofAnna, annas, other))
      expect(await held({ user_id: 'user-1' })).toEqual(ids(own, ofAnna))
      expect(await held({ person: 'anna' })).toEqual(ids(ofAnna, annas))
      expect(await tokens.listOfHolder({ workspace_id }, 1)).toHaveLength(1)
    })

    it('finds who holds some and cannot ask for them any more', async () => {
      const store = open()
      const { tokens, consents } = store.oauth
      const now = '2026-11-20T12:00:00.000Z'
      const keys = {
        good: anApiKey(),
        late: anApiKey({ expires_at: '2026-11-20T12:00:00.001Z' }),
        over: anApiKey({ expires_at: now }),
        revoked: anApiKey({ revoked_at: now }),
        asking: anApiKey({ revoked_at: now }),
        idle: anApiKey({ revoked_at: now }),
      }
      for (const key of Object.values(keys)) await store.apiKeys.put(key)
      const { good, late, over, revoked, asking } = keys
      const users = [...[good, late, over, revoked].map(({ id }) => id), 'user:anna']
      for (const user_id of [...users, `deployment:${randomUUID()}`]) {
        await tokens.insert(anOAuthToken({ user_id }))
      }
      await consents.insert(anOAuthConsent({ user_id: asking.id }))
      const lost = await tokens.listLostHolders(now, 10)
      expect(lost.map(({ user_id }) => user_id).toSorted()).toEqual(
        [over.id, revoked.id, asking.id].toSorted(),
      )
      expect(lost[0]).toMatchObject({ workspace_id: good.workspace_id })
    })

    it('lists those that have run out and that nobody has renewed, the oldest first', async () => {
      const { tokens } = open().oauth
      const [now, before] = ['2026-11-21T12:00:00.000Z', '2026-11-20T00:00:00.000Z']
      const day = (text: string) => `2026-11-${text}T00:00:00.000Z`
      const run = { expires_at: day('18') }
      const [older, old] = [
        anOAuthToken({ ...run, updated_at: day('17') }),
        anOAuthToken({ ...run, updated_at: day('18'), retry_at: Date.parse(now) }),
      ]
      const others = [
        anOAuthToken({ expires_at: day('25'), updated_at: day('18') }),
        anOAuthToken({ ...run, updated_at: day('20') }),
        anOAuthToken({ ...run, updated_at: day('18'), status: 'expired' }),
        anOAuthToken({ ...run, updated_at: day('18'), refresh_token: null }),
        anOAuthToken({ ...run, updated_at: day('18'), retry_at: Date.parse(now) + 1 }),
        anOAuthToken({ ...run, updated_at: day('18'), refresh_failures: 5 }),
        anOAuthToken({ expires_at: null, updated_at: day('18') }),
      ]
      for (const token of [old, older, ...others]) await tokens.insert(token)
      expect(await tokens.listIdle({ now, before }, 10)).toEqual([older, old])
      expect(await tokens.listIdle({ now, before }, 1)).toEqual([older])
    })

    it('forgets what kept a provider from being asked', async () => {
      const { tokens } = open().oauth
      const failing = { retry_at: 5, refresh_failures: 3 }
      const [token, other] = [
        anOAuthToken(failing),
        anOAuthToken({ ...failing, provider_id: 'slack' }),
      ]
      for (const one of [token, other]) await tokens.insert(one)
      await tokens.forgetFailures(token.provider_key)
      expect(await tokens.get(token.id)).toEqual({ ...token, retry_at: null, refresh_failures: 0 })
      expect(await tokens.get(other.id)).toEqual(other)
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
      const claim = (holder: string, forMs: number) =>
        tokens.claimRefresh({ id, version, holder, forMs })
      const claims = ['a', 'b', 'c'].map((holder) => claim(holder, 500))
      const won = await Promise.all(claims)
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await claim('late', 500)).toBe(false)
      await expect.poll(() => claim('later', 60_000)).toBe(true)
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
        tokens.claimRefresh({ id: token.id, version, holder: 'a', forMs: 60_000 })
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
      const claim = { id: token.id, version: 1, holder: 'a', forMs: 60_000 }
      expect(await tokens.claimRefresh(claim)).toBe(true)
      await tokens.update(token.id, { access_token: 'by consent' })
      expect(await tokens.endRefresh(claim, { access_token: 'by refresh' })).toBe(false)
      expect((await tokens.get(token.id))?.access_token).toBe('by consent')
    })

    it('leaves a claim to its holder when only a name or the default changes', async () => {
      const { tokens } = open().oauth
      const token = anOAuthToken()
      await tokens.insert(token)
      const claim = { id: token.id, version: 1, holder: 'a', forMs: 60_000 }
      expect(await tokens.claimRefresh(claim)).toBe(true)
      await tokens.update(token.id, { provider_account_label: 'work', is_default: false })
      expect(await tokens.endRefresh(claim, { access_token: 'by refresh' })).toBe(true)
      const now = { access_token: 'by refresh', provider_account_label: 'work', is_default: false }
      expect(await tokens.get(token.id)).toMatchObject(now)
    })
  })
}
