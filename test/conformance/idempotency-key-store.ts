/** What every store of idempotency keys must do. */
import { describe, expect, it } from 'vitest'
import type { IdempotencyKey } from '../../src/core/agent/idempotency-key.ts'
import type { AgentStoreWorld } from '../support/agent/agent-records.ts'

const KEY: IdempotencyKey = {
  scope: '[null,"t"]',
  key: 'k',
  fingerprint: 'f',
  run_id: 'r',
  created_at: 100,
}

export function testIdempotencyKeyStore(world: () => AgentStoreWorld): void {
  describe('idempotency keys', () => {
    it('are found by their scope and text', async () => {
      const { idempotencyKeys } = world().store
      await idempotencyKeys.put(KEY)
      await idempotencyKeys.put({ ...KEY, scope: 'other', run_id: 'r2' })
      expect(await idempotencyKeys.find(KEY.scope, KEY.key)).toEqual(KEY)
      expect(await idempotencyKeys.find(KEY.scope, 'K')).toBeUndefined()
    })

    it('take the place of an older one', async () => {
      const { idempotencyKeys } = world().store
      const newer = { ...KEY, fingerprint: 'g', run_id: 's', created_at: 200 }
      await idempotencyKeys.put(KEY)
      await idempotencyKeys.put(newer)
      expect(await idempotencyKeys.find(KEY.scope, KEY.key)).toEqual(newer)
    })

    it('are forgotten by their age', async () => {
      const { idempotencyKeys } = world().store
      await idempotencyKeys.put(KEY)
      await idempotencyKeys.put({ ...KEY, key: 'young', created_at: 101 })
      expect(await idempotencyKeys.expire(101)).toBe(1)
      expect(await idempotencyKeys.find(KEY.scope, KEY.key)).toBeUndefined()
      expect(await idempotencyKeys.find(KEY.scope, 'young')).toBeDefined()
    })
  })
}
