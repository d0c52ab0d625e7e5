import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { forEachTest } from '../../../test/support/running.ts'
import { systemClock } from '../../core/clock.ts'
import { ADMIN_KEY_ID } from '../../core/people/api-key.ts'
import { createAuthenticate } from '../../http/keys.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../storage/control-plane/store.ts'
import { ensureAdminKey } from './installation.ts'

const store = forEachTest(() => openControlPlaneStore(':memory:', createSecretBox(randomBytes(32))))

describe('the admin key', () => {
  it('lets its owner in, as admin', async () => {
    const { apiKeys } = store
    await ensureAdminKey(apiKeys, 'ry_first', systemClock)
    const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
    const principal = await authenticate(new Headers({ 'x-api-key': 'ry_first' }))
    expect(principal).toMatchObject({ user_id: ADMIN_KEY_ID, role: 'admin' })
  })

  it('is kept as it is when it is made sure of again', async () => {
    const { apiKeys } = store
    await ensureAdminKey(apiKeys, 'ry_first', { now: () => 0 })
    await ensureAdminKey(apiKeys, 'ry_first', { now: () => 5000 })
    expect(await apiKeys.get(ADMIN_KEY_ID)).toMatchObject({
      created_at: '1970-01-01T00:00:00.000Z',
    })
  })

  it('takes the place of the one before', async () => {
    const { apiKeys } = store
    await ensureAdminKey(apiKeys, 'ry_first', systemClock)
    await ensureAdminKey(apiKeys, 'ry_second', systemClock)
    const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
    await expect(authenticate(new Headers({ 'x-api-key': 'ry_first' }))).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(authenticate(new Headers({ 'x-api-key': 'ry_second' }))).resolves.toBeDefined()
  })
})
