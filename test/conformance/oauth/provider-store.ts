/** What every store of OAuth providers must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../../src/core/deployment/control-plane-store.ts'
import {
  anOAuthConsent,
  anOAuthProvider,
} from '../../support/control-plane/control-plane-records.ts'

export function testOAuthProviderStore(open: () => ControlPlaneStore): void {
  describe('OAuth providers', () => {
    it('gives back what was stored, by slug, by id and in the order of the slugs', async () => {
      const { providers } = open().oauth
      const github = anOAuthProvider()
      const bare = anOAuthProvider({
        provider_id: 'bare',
        client_secret: null,
        uses_pkce: false,
        code_challenge_method: null,
        authorization_params: {},
        allowed_redirect_uris: [],
      })
      const elsewhere = anOAuthProvider({ workspace_id: randomUUID() })
      for (const one of [github, bare, elsewhere]) expect(await providers.insert(one)).toBe(true)
      expect(await providers.list(github.workspace_id)).toEqual([bare, github])
      expect(await providers.get(elsewhere.workspace_id, 'github')).toEqual(elsewhere)
      expect(await providers.get(elsewhere.workspace_id, 'bare')).toBeUndefined()
      expect(await providers.find(github.id)).toEqual(github)
    })

    it('keeps the first of a slug', async () => {
      const { providers } = open().oauth
      const first = anOAuthProvider()
      await providers.insert(first)
      expect(await providers.insert(anOAuthProvider({ name: 'Another' }))).toBe(false)
      expect(await providers.list(first.workspace_id)).toEqual([first])
    })

    it('changes what is named, the secret too', async () => {
      const { providers } = open().oauth
      const provider = anOAuthProvider()
      await providers.insert(provider)
      const patch = {
        name: 'GitHub of ours',
        client_secret: 'another',
        uses_pkce: false,
        updated_at: '2026-11-21T12:00:00.000Z',
      }
      await providers.update(provider.id, patch)
      expect(await providers.find(provider.id)).toEqual({ ...provider, ...patch })
    })

    it('deletes one with its consents', async () => {
      const { providers, consents } = open().oauth
      const provider = anOAuthProvider()
      const own = anOAuthConsent({ provider_key: provider.id })
      const other = anOAuthConsent()
      await providers.insert(provider)
      for (const consent of [own, other]) await consents.insert(consent)
      await providers.delete(provider.id)
      expect(await providers.find(provider.id)).toBeUndefined()
      expect(await consents.get(own.id)).toBeUndefined()
      expect(await consents.get(other.id)).toEqual(other)
    })
  })
}
