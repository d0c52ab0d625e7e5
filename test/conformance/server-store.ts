/** What every store of agent server processes must do. */
import { describe, expect, it } from 'vitest'
import { type AgentStoreWorld, CREATED_AT, LATER } from '../support/agent/agent-records.ts'

export function testServerStore(world: () => AgentStoreWorld): void {
  const started = { host: 'here', pid: 7, started_at: CREATED_AT, seen_at: 1 }
  const one = { server_id: 'one', ...started, graphs: ['agent', 'other "graph"'] }
  const other = { ...one, server_id: 'other', pid: 8, started_at: LATER }

  describe('servers', () => {
    it('lists those that registered and were not removed, the oldest first', async () => {
      const { servers } = world().store
      await servers.register(other)
      await servers.register(one)
      expect(await servers.list()).toEqual([one, other])
      await servers.remove('one')
      expect(await servers.list()).toEqual([other])
    })

    it('notes when a server was seen', async () => {
      const { servers } = world().store
      await servers.register(one)
      await servers.seen('one', 1_795_000_000_000)
      expect(await servers.list()).toEqual([{ ...one, seen_at: 1_795_000_000_000 }])
    })

    it('takes a server that registers again at its new word', async () => {
      const { servers } = world().store
      await servers.register(one)
      await servers.register({ ...one, pid: 9, graphs: [] })
      expect(await servers.list()).toEqual([{ ...one, pid: 9, graphs: [] }])
    })
  })
}
