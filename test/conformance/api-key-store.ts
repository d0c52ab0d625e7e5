/** What every store of API keys must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ROLES, type Role } from '../../src/core/api-key.ts'
import type { ControlPlaneStore } from '../../src/core/control-plane-store.ts'
import { anApiKey } from '../support/control-plane-records.ts'

export function testApiKeyStore(open: () => ControlPlaneStore): void {
  describe('API keys', () => {
    it.each(ROLES)('finds a key of role %s by its hash, as it was stored', async (role) => {
      const { apiKeys } = open()
      const key = anApiKey({ role, workspace_id: randomUUID() })
      await apiKeys.put(key)
      await apiKeys.put(anApiKey())
      expect(await apiKeys.findByHash(key.key_hash)).toEqual(key)
    })

    it('finds nothing under an unknown hash', async () => {
      expect(await open().apiKeys.findByHash(randomUUID())).toBeUndefined()
    })

    it('replaces the key with the same id: the old hash finds nothing any more', async () => {
      const { apiKeys } = open()
      const old = anApiKey()
      const changed = anApiKey({
        id: old.id,
        name: 'renamed',
        role: 'viewer',
        expires_at: '2027-01-01T00:00:00.000Z',
        revoked_at: '2026-12-01T00:00:00.000Z',
      })
      await apiKeys.put(old)
      await apiKeys.put(changed)
      expect(await apiKeys.findByHash(old.key_hash)).toBeUndefined()
      expect(await apiKeys.findByHash(changed.key_hash)).toEqual(changed)
    })

    it('refuses a second key with the same hash', async () => {
      const { apiKeys } = open()
      const key = anApiKey()
      await apiKeys.put(key)
      await expect(apiKeys.put(anApiKey({ key_hash: key.key_hash }))).rejects.toThrow()
      expect(await apiKeys.findByHash(key.key_hash)).toEqual(key)
    })

    it('refuses a role that is not in the list', async () => {
      await expect(open().apiKeys.put(anApiKey({ role: 'king' as Role }))).rejects.toThrow()
    })
  })
}
