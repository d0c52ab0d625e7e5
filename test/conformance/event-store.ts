/** What every store of events must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { END_EVENT, type NewEvent, STATE_UPDATE_EVENT } from '../../src/core/agent/event.ts'
import { type AgentStoreWorld, aRun, aThread } from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'

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

    describe('with long lists', () => {
      const message = (n: number) => ({ id: `m${n}`, content: `${n}: ü ${'x'.repeat(300)}` })
      const messages = (count: number, first = 0) =>
        Array.from({ length: count }, (_, i) => message(first + i))
      /** The state, as streams show it, with so many messages. */
      const values = (list: object[], event = 'values'): NewEvent => ({
        event,
        data: JSON.stringify({
          topic: 'ü',
          messages: list,
          more: { notes: messages(5), last: [] },
        }),
      })
      const bytesUsed = () => world().store.sizeBytes()

      it('are read as they were appended, by every way of reading', async () => {
        const to = { thread_id: randomUUID(), run_id: randomUUID(), created_at: 1 }
        const { events } = world().store
        const written = [1, 7, 8, 9, 64, 65, 66].map((count) => values(messages(count)))
        const appended = await events.append(to, [
          ...written,
          values(messages(70), 'messages/complete'),
          values(messages(71), 'protocol/lifecycle'),
        ])
        expect(appended?.map(({ data }) => data).slice(0, 7)).toEqual(written.map((e) => e.data))
        expect(await events.read(to.run_id, -1, 20)).toEqual(appended)
        expect(await events.readRun(to, 0, 20)).toEqual(appended)
        expect(await events.readThread(to.thread_id, 0, 20)).toEqual(appended)
        expect(await events.readMessages(to.run_id, { after: -1, before: 99 }, 9)).toEqual(
          appended?.slice(7, 8),
        )
        expect(await events.readLifecycle(to.run_id)).toEqual(appended?.slice(8))
        expect(await events.lastBefore(to.run_id, 2)).toBe(8)
        expect(await events.lastBefore(to.run_id, 1)).toBe(-1)
        expect(await events.areWritten(appended?.slice(6) ?? [])).toBe(true)
        await events.appendToThread(to, [values(messages(72), STATE_UPDATE_EVENT)])
        const last = await events.readThread(to.thread_id, 9, 1)
        expect(last).toMatchObject([{ data: values(messages(72)).data }])
      })

      it('take as much for a turn late in a conversation as for one early in it', async () => {
        const thread_id = randomUUID()
        const sizes: number[] = []
        for (let turn = 1; turn <= 200; turn += 1) {
          if (turn % 40 === 1) sizes.push(await bytesUsed())
          const to = { thread_id, run_id: randomUUID(), created_at: 1 }
          const asked = values(messages(2 * turn - 1))
          const answered = values(messages(2 * turn))
          await world().store.events.append(to, [
            asked,
            answered,
            { ...answered, event: END_EVENT },
          ])
        }
        sizes.push(await bytesUsed())
        const grown = sizes.slice(1).map((bytes, i) => bytes - Number(sizes[i]))
        expect(Number(grown.at(-1))).toBeLessThan(1.5 * Number(grown[0]))
      })

      it('keep what they share while one of them is there, and no longer', async () => {
        const thread_id = randomUUID()
        const { events } = world().store
        const place = () => ({ thread_id, run_id: randomUUID() })
        const [old, removed, last] = [place(), place(), place()]
        const end = { event: END_EVENT, data: '{}' }
        await events.append({ ...old, created_at: 10 }, [values(messages(90)), end])
        await events.append({ ...removed, created_at: 20 }, [values(messages(50, 40)), end])
        const kept = await events.append({ ...last, created_at: 30 }, [values(messages(60)), end])
        await events.deleteRun(removed.run_id)
        expect(await events.expire(20)).toBe(2)
        expect(await events.read(last.run_id, -1, 9)).toEqual(kept)
        // What went is there again when it is needed.
        const again = await events.append({ ...last, created_at: 30 }, [values(messages(90))])
        expect(await events.read(last.run_id, 1, 9)).toEqual(again)
        await events.appendToThread({ thread_id, created_at: 30 }, [
          values(messages(99), STATE_UPDATE_EVENT),
        ])
        await events.expire(31)
        expect(await events.readThread(thread_id, 0, 9)).toEqual([])
      })

      it('are whole although the last that shared their lists expires at that moment', async () => {
        const thread_id = randomUUID()
        const { events } = world().store
        const other = await world().another()
        for (let round = 1; round <= 40; round += 1) {
          const to = { thread_id, run_id: randomUUID(), created_at: round }
          await events.appendToThread(to, [values(messages(20), STATE_UPDATE_EVENT)])
          const [appended] = await Promise.all([
            events.append(to, [values(messages(20))]),
            other.events.expire(round + 1),
          ])
          expect(await events.read(to.run_id, -1, 9)).toEqual(appended)
          await events.deleteRun(to.run_id)
        }
      })
    })

    it('of nothing are nothing', async () => {
      expect(await append({ thread_id: 't', run_id: 'r' })).toEqual([])
    })
  })
}
