import { describe, expect, it } from 'vitest'
import { ADMIN_KEY_ID, type ApiKey, type ApiKeyStore } from '../core/api-key.ts'
import { systemClock } from '../core/clock.ts'
import { createAuthenticate } from '../http/keys.ts'
import { ensureAdminKey } from './installation.ts'

function memoryApiKeys(): ApiKeyStore & { keys: Map<string, ApiKey> } {
  const keys = new Map<string, ApiKey>()
  return {
    keys,
    findByHash: async (hash) => [...keys.values()].find((key) => key.key_hash === hash),
    put: async (key) => {
      keys.set(key.id, key)
    },
  }
}

describe('the admin key', () => {
  it('lets its owner in, as admin', async () => {
    const apiKeys = memoryApiKeys()
    await ensureAdminKey(apiKeys, 'ry_first', systemClock)
    const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
    const principal = await authenticate(new Headers({ 'x-api-key': 'ry_first' }))
    expect(principal).toMatchObject({ user_id: ADMIN_KEY_ID, role: 'admin' })
  })

  it('is kept as it is when it is made sure of again', async () => {
    const apiKeys = memoryApiKeys()
    await ensureAdminKey(apiKeys, 'ry_first', { now: () => 0 })
    await ensureAdminKey(apiKeys, 'ry_first', { now: () => 5000 })
    expect(apiKeys.keys.get(ADMIN_KEY_ID)?.created_at).toBe('1970-01-01T00:00:00.000Z')
  })

  it('takes the place of the one before', async () => {
    const apiKeys = memoryApiKeys()
    await ensureAdminKey(apiKeys, 'ry_first', systemClock)
    await ensureAdminKey(apiKeys, 'ry_second', systemClock)
    const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
    await expect(authenticate(new Headers({ 'x-api-key': 'ry_first' }))).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(authenticate(new Headers({ 'x-api-key': 'ry_second' }))).resolves.toBeDefined()
  })
})
