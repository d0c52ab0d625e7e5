/** What every store of events must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { END_EVENT, type NewEvent, STATE_UPDATE_EVENT } from '../../src/core/event.ts'
import { type AgentStoreWorld, aRun, aThread } from '../support/agent-records.ts'
import { claimRun } from '../support/claim-run.ts'

export function testEventStore(world: () => AgentStoreWorld): void {
  const some = (...names: string[]): NewEvent[] =>
    names.map((event) => ({ event, data: JSON.stringify(event) }))

  const append = (
    to: { thread_id: string; run_id: string; created_at?: number },
    ...names: string[]
  ) => world().store.events.append({ created_at: 1, ...to }, some(...names))

  describe('events', () => {
    it('are numbered by thread and by run, over appends and runs', async () => {
      const thread_id = randomUUID()
      const [first, second] = [randomUUID(), randomUUID()]
      await append({ thread_id, run_id: first }, 'a', 'b')
      await append({ thread_id, run_id: second }, 'c')
      await append({ thread_id, run_id: first }, 'd')
      await append({ thread_id: randomUUID(), run_id: randomUUID() }, 'elsewhere')
      const { events } = world().store
      const numbers = async (run_id: string) =>
        (await events.read(run_id, -1, 10)).map((e) => [e.event, e.seq, e.run_seq])
      expect(await numbers(first)).toEqual([
        ['a', 1, 0],
        ['b', 2, 1],
        ['d', 4, 2],
      ])
      expect(await numbers(second)).toEqual([['c', 3, 0]])
    })

    it('are answered as they are read', async () => {
      const to = { thread_id: randomUUID(), run_id: randomUUID(), created_at: 1_795_000_000_000 }
      const appended = await append(to, 'ü', 'b')
      expect(appended).toMatchObject([{ ...to, event: 'ü', data: '"ü"', seq: 1, run_seq: 0 }, {}])
      expect(await world().store.events.read(to.run_id, -1, 10)).toEqual(appended)
    })

    it('are read from a number on, not more than asked for', async () => {
      const to = { thread_id: randomUUID(), run_id: randomUUID() }
      await append(to, 'a', 'b', 'c', 'd')
      const { events } = world().store
      const names = async (after: number, limit: number) =>
        (await events.read(to.run_id, after, limit)).map((e) => e.event)
      expect(await names(0, 2)).toEqual(['b', 'c'])
      expect(await names(3, 2)).toEqual([])
    })

    it('of one run are removed by themselves', async () => {
      const thread_id = randomUUID()
      const [gone, kept] = [randomUUID(), randomUUID()]
      await append({ thread_id, run_id: gone }, 'a', 'b')
      await append({ thread_id, run_id: kept }, 'c')
      const { events } = world().store
      await events.deleteRun(gone)
      expect(await events.read(gone, -1, 10)).toEqual([])
      expect(await events.read(kept, -1, 10)).toMatchObject([{ event: 'c', seq: 3 }])
    })

    it('get every number once when two connections append at once', async () => {
      const thread_id = randomUUID()
      const stores = [world().store, await world().another()]
      const run_ids = [randomUUID(), randomUUID()]
      const appends = Array.from({ length: 40 }, (_, i) => {
        const to = { thread_id, run_id: run_ids[i % 2] as string, created_at: 1 }
        return stores[i % 2]?.events.append(to, some('x', 'y'))
      })
      const logged = (await Promise.all(appends)).flatMap((one) => one ?? [])
      const sorted = (numbers: (number | null)[]) => numbers.map(Number).toSorted((a, b) => a - b)
      const count = (n: number, from: number) => Array.from({ length: n }, (_, i) => i + from)
      expect(sorted(logged.map((e) => e.seq))).toEqual(count(80, 1))
      const first = logged.filter((e) => e.run_id === run_ids[0])
      expect(sorted(first.map((e) => e.run_seq))).toEqual(count(40, 0))
    })

    it('are refused under a lost lease, and taken under the one held', async () => {
      const { store } = world()
      const thread = aThread()
      await store.threads.insert(thread)
      const { run_id, thread_id } = await store.runs.insert(aRun({ thread_id: thread.thread_id }))
      const claimed = await claimRun(store, { server_id: 's', now: 1, lease_expires_at: 2 })
      const lease = claimed?.lease ?? expect.fail('nothing claimed')
      const to = { thread_id, run_id, created_at: 1 }
      expect(await store.events.append({ ...to, lease }, some('a'))).toHaveLength(1)
      for (const lost of [
        { ...lease, token: 0 },
        { ...lease, server_id: 'other' },
      ]) {
        expect(await store.events.append({ ...to, lease: lost }, some('b'))).toBeUndefined()
      }
      expect(await store.events.read(run_id, -1, 10)).toHaveLength(1)
    })

    it('outlive their run', async () => {
      const { store } = world()
      const thread = aThread()
      await store.threads.insert(thread)
      const { run_id, thread_id } = await store.runs.insert(aRun({ thread_id: thread.thread_id }))
      await append({ thread_id, run_id }, 'a', END_EVENT)
      await store.runs.delete(run_id)
      expect(await store.events.read(run_id, -1, 10)).toHaveLength(2)
    })

    it('expire by the end of their run, and the thread goes on counting', async () => {
      const thread_id = randomUUID()
      const [ended, fresh, open] = [randomUUID(), randomUUID(), randomUUID()]
      await append({ thread_id, run_id: ended, created_at: 10 }, 'a', END_EVENT)
      await append({ thread_id, run_id: fresh, created_at: 10 }, 'a')
      await append({ thread_id, run_id: fresh, created_at: 20 }, END_EVENT)
      await append({ thread_id, run_id: open, created_at: 10 }, 'a')
      const { events } = world().store
      expect(await events.expiredSeq(thread_id)).toBe(0)
      expect(await events.expire(20)).toBe(2)
      expect(await events.expiredSeq(thread_id)).toBe(2)
      expect(await events.read(ended, -1, 10)).toEqual([])
      expect(await events.read(fresh, -1, 10)).toHaveLength(2)
      expect(await events.read(open, -1, 10)).toHaveLength(1)
      expect(await events.expire(21)).toBe(2)
      expect(await events.expiredSeq(thread_id)).toBe(4)
      expect(await append({ thread_id, run_id: randomUUID() }, 'a')).toMatchObject([{ seq: 6 }])
    })

    it('that have expired stay so, whoever has the wrong time', async () => {
      const thread_id = randomUUID()
      await append({ thread_id, run_id: randomUUID(), created_at: 20 }, END_EVENT)
      await append({ thread_id, run_id: randomUUID(), created_at: 10 }, END_EVENT)
      const { events } = world().store
      for (const before of [11, 21]) {
        expect(await events.expire(before)).toBe(1)
        expect(await events.expiredSeq(thread_id)).toBe(2)
      }
    })

    it('of no run count within the thread only', async () => {
      const thread_id = randomUUID()
      const run_id = randomUUID()
      const { events } = world().store
      await append({ thread_id, run_id }, 'a')
      await events.appendToThread({ thread_id, created_at: 7 }, some('x', 'y'))
      await append({ thread_id, run_id }, 'b')
      expect((await events.read(run_id, -1, 10)).map((e) => e.run_seq)).toEqual([0, 1])
      const numbers = (await events.readThread(thread_id, 1, 2)).map((e) => [e.event, e.seq])
      expect(numbers).toEqual([
        ['x', 2],
        ['y', 3],
      ])
      const [, between] = await events.readThread(thread_id, 0, 10)
      expect(between).toMatchObject({ thread_id, run_id: null, run_seq: null, created_at: 7 })
      expect(await events.lastSeq(thread_id)).toBe(4)
      expect(await events.lastSeq(randomUUID())).toBe(0)
    })

    it('of no run expire by their age', async () => {
      const thread_id = randomUUID()
      const { events } = world().store
      await events.appendToThread({ thread_id, created_at: 10 }, some(STATE_UPDATE_EVENT))
      await events.appendToThread({ thread_id, created_at: 20 }, some(STATE_UPDATE_EVENT))
      expect(await events.expire(20)).toBe(1)
      expect(await events.readThread(thread_id, 0, 10)).toMatchObject([{ created_at: 20 }])
    })

    it("of a run's messages are read by themselves, up to a number", async () => {
      const to = { thread_id: randomUUID(), run_id: randomUUID() }
      await append(to, 'messages/partial', 'values', 'messages', 'messages/piece|a', 'messages/x')
      const { events } = world().store
      const names = async (after: number, before: number, limit = 10) =>
        (await events.readMessages(to.run_id, { after, before }, limit)).map((e) => e.event)
      expect(await names(-1, 4)).toEqual(['messages/partial', 'messages/piece|a'])
      expect(await names(0, 5)).toEqual(['messages/piece|a', 'messages/x'])
      expect(await names(-1, 5, 1)).toEqual(['messages/partial'])
    })

    it('of nothing are nothing', async () => {
      expect(await append({ thread_id: 't', run_id: 'r' })).toEqual([])
    })
  })
}
