/** What every store of timelines must do. */
import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_TOKEN, type Lease } from '../../src/core/agent/run.ts'
import type { TimelineEntry } from '../../src/core/agent/timeline/timeline.ts'
import { type AgentStoreWorld, aRun, aThread, LATER } from '../support/agent/agent-records.ts'

const NOW = 1_795_000_000_000

function anEntry(change: Partial<TimelineEntry['attempt']> = {}, output = '1'): TimelineEntry {
  return {
    attempt: {
      ...{ token: FIRST_TOKEN, attempt: 1, server_id: 's', pid: 1, revision_id: null },
      ...{ started_at: NOW, ended_at: null, outcome: 'running', left_out: 0 },
      ...change,
    },
    spans: [
      {
        ...{ span_id: 'one', kind: 'tool', name: 'ü', namespace: ['a:1'], step: 1 },
        ...{ started_at: NOW, ended_at: NOW, status: 'success', output },
      },
    ],
  }
}

export function testTimelineStore(world: () => AgentStoreWorld): void {
  const timelines = () => world().store.timelines
  let lease: Lease

  const finish = (timeline: TimelineEntry) =>
    world().store.transaction((tx) =>
      tx.runs.finish(lease, { status: 'success', error: null, updated_at: LATER, timeline }),
    )

  describe('timelines', () => {
    beforeEach(async () => {
      const { store } = world()
      const thread = aThread()
      await store.threads.insert(thread)
      const claim = { server_id: 's', now: NOW, lease_expires_at: NOW + 1_000 }
      const { run_id } = await store.runs.insert(
        aRun({ thread_id: thread.thread_id, status: 'running' }),
        claim,
      )
      lease = { run_id, server_id: 's', token: FIRST_TOKEN }
    })

    it('are read as they were written, what the run ended with last', async () => {
      expect(await timelines().add(lease, anEntry(), NOW)).toBe(true)
      expect(await timelines().add(lease, anEntry({ left_out: 2 }), NOW)).toBe(true)
      expect(await finish(anEntry({ outcome: 'success' }))).toBe(true)
      expect(await timelines().read(lease.run_id)).toEqual([
        anEntry(),
        anEntry({ left_out: 2 }),
        anEntry({ outcome: 'success' }),
      ])
    })

    it('keep a long end too', async () => {
      const long = anEntry({ outcome: 'success' }, 'x'.repeat(100_000))
      await finish(long)
      expect(await timelines().read(lease.run_id)).toEqual([long])
    })

    it('keep no empty excerpt', async () => {
      await finish({ ...anEntry({ outcome: 'success' }), excerpt: {} })
      expect(await timelines().read(lease.run_id)).toEqual([anEntry({ outcome: 'success' })])
    })

    it('leave no attempt of a long end that has expired, but its excerpt', async () => {
      const long = anEntry({ outcome: 'success' }, 'x'.repeat(100_000))
      await finish({ ...long, excerpt: { last: 'Done.' } })
      expect(await timelines().read(lease.run_id)).toEqual([long])
      expect(await timelines().expire(Number.MAX_SAFE_INTEGER)).toBe(1)
      expect(await timelines().read(lease.run_id)).toEqual([])
      const [found] = await world().store.runs.search({ run_id: lease.run_id }, { limit: 1 })
      expect(found).toMatchObject({ excerpt: { last: 'Done.' } })
    })

    it('take nothing from who has lost the lease', async () => {
      expect(await timelines().add({ ...lease, token: 2 }, anEntry(), NOW)).toBe(false)
      await finish(anEntry({ outcome: 'success' }))
      expect(await timelines().add(lease, anEntry(), NOW)).toBe(false)
      expect(await timelines().read(lease.run_id)).toHaveLength(1)
    })

    it('go with their runs', async () => {
      await timelines().add(lease, anEntry(), NOW)
      await world().store.runs.delete(lease.run_id)
      expect(await timelines().read(lease.run_id)).toEqual([])
    })

    it('expire, but for short ends', async () => {
      await timelines().add(lease, anEntry(), NOW)
      await timelines().add(lease, anEntry({ left_out: 1 }), NOW + 1)
      await finish(anEntry({ outcome: 'success' }))
      expect(await timelines().expire(NOW + 1)).toBe(1)
      const left = await timelines().read(lease.run_id)
      expect(left).toEqual([anEntry({ left_out: 1 }), anEntry({ outcome: 'success' })])
    })
  })
}
