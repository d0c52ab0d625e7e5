/** What every store of API keys must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { ROLES, type Role } from '../../src/core/people/api-key.ts'
import { anApiKey } from '../support/control-plane/control-plane-records.ts'

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
      expect(await apiKeys.findByHash(old.key_hash)).toEqual(old)
      await apiKeys.put(changed)
      expect(await apiKeys.findByHash(old.key_hash)).toBeUndefined()
      expect(await apiKeys.findByHash(changed.key_hash)).toEqual(changed)
    })

    it('lists a workspace’s keys, newest first, page by page', async () => {
      const { apiKeys } = open()
      const workspace_id = randomUUID()
      const times = ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z']
      const keys = times.map((created_at) =>
        anApiKey({ workspace_id, created_at, hint: 'ry_abcd' }),
      )
      for (const key of [...keys, anApiKey()]) await apiKeys.put(key)
      const list = (page: { limit: number; offset: number }) =>
        apiKeys.list({ workspace_id, ...page })
      expect(await list({ limit: 9, offset: 0 })).toEqual(keys.toReversed())
      expect(await list({ limit: 1, offset: 1 })).toEqual([keys[0]])
      expect(await apiKeys.get(keys[1]?.id ?? '')).toEqual(keys[1])
    })

    it('revokes a key once: the first time stays', async () => {
      const { apiKeys } = open()
      const key = anApiKey()
      await apiKeys.put(key)
      const revoked_at = '2026-12-01T00:00:00.000Z'
      expect(await apiKeys.findByHash(key.key_hash)).toMatchObject({ revoked_at: null })
      expect(await apiKeys.revoke(key.id, revoked_at)).toBe(true)
      expect(await apiKeys.findByHash(key.key_hash)).toMatchObject({ revoked_at })
      expect(await apiKeys.revoke(key.id, '2026-12-02T00:00:00.000Z')).toBe(false)
      expect(await apiKeys.revoke(randomUUID(), revoked_at)).toBe(false)
      expect(await apiKeys.get(key.id)).toEqual({ ...key, revoked_at })
    })

    it('notes the last use, and never an earlier one', async () => {
      const { apiKeys } = open()
      const key = anApiKey()
      await apiKeys.put(key)
      await apiKeys.touch(key.id, '2026-12-02T00:00:00.000Z')
      await apiKeys.touch(key.id, '2026-12-01T00:00:00.000Z')
      expect((await apiKeys.get(key.id))?.last_used_at).toBe('2026-12-02T00:00:00.000Z')
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
