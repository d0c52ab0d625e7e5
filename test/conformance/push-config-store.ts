/** What every store of push configs must do. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PushConfig } from '../../src/core/agent/push-config.ts'
import { type AgentStoreWorld, aThread, CREATED_AT, LATER } from '../support/agent/agent-records.ts'

export function testPushConfigStore(world: () => AgentStoreWorld): void {
  describe('push configs', () => {
    const store = () => world().store.pushConfigs
    let first: PushConfig

    beforeEach(async () => {
      const thread = aThread()
      await world().store.threads.insert(thread)
      first = {
        ...{ task_id: randomUUID(), config_id: 'b', thread_id: thread.thread_id },
        ...{ version: '1.0', created_at: CREATED_AT, config: { url: 'https://hooks.example/ü' } },
      }
      await store().put(first)
    })

    it('are a task’s, in the order in which they came', async () => {
      const second: PushConfig = { ...first, config_id: 'a', version: '0.3', created_at: LATER }
      await store().put(second)
      await store().put({ ...first, task_id: randomUUID() })
      expect(await store().list(first.task_id)).toEqual([first, second])
      expect(await store().list(randomUUID())).toEqual([])
    })

    it('are replaced by their ids, and removed', async () => {
      const changed: PushConfig = { ...first, version: '0.3', config: { url: 'other' } }
      await store().put({ ...changed, created_at: LATER })
      expect(await store().list(first.task_id)).toEqual([changed])
      expect(await store().delete(first.task_id, 'nobody’s')).toBe(false)
      expect(await store().delete(first.task_id, first.config_id)).toBe(true)
      expect(await store().list(first.task_id)).toEqual([])
    })

    it('go with their thread', async () => {
      await world().store.threads.delete(first.thread_id)
      expect(await store().list(first.task_id)).toEqual([])
    })
  })
}
