/** What every store of threads must do. */
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { MetadataFilter } from '../../src/core/agent/authorization.ts'
import { THREAD_STATUSES, type ThreadQuery, type ThreadTask } from '../../src/core/agent/thread.ts'
import { parseJson } from '../../src/core/exact-json.ts'
import type { JsonObject } from '../../src/core/json.ts'
import {
  type AgentStoreWorld,
  aCheckpoint,
  aRun,
  aState,
  aThread,
  bytesOf,
  CREATED_AT,
  LATER,
} from '../support/agent/agent-records.ts'

const PAGE = { sort_by: 'created_at', sort_order: 'desc', limit: 10, offset: 0 } as const

export function testThreadStore(world: () => AgentStoreWorld): void {
  async function insertThread(): Promise<string> {
    const thread = aThread({ metadata: { owner: 'ada' } })
    await world().store.threads.insert(thread)
    return thread.thread_id
  }

  async function fill() {
    const { store } = world()
    const thread_id = await insertThread()
    const { run_id } = await store.runs.insert(aRun({ thread_id }))
    await store.events.append({ thread_id, run_id, created_at: 1 }, [{ event: 'e', data: '1' }])
    const value = { channel: 'a', version: '1', ...bytesOf('1') }
    await store.checkpoints.put(aCheckpoint({ thread_id, run_id }), { a: '1' }, [value])
    return { thread_id, run_id }
  }

  async function contents({ thread_id, run_id }: { thread_id: string; run_id: string }) {
    const { threads, runs, events, checkpoints } = world().store
    return [
      await threads.get(thread_id, { isDropped: true }),
      await runs.get(run_id),
      await events.read(run_id, -1, 10),
      await checkpoints.list({ thread_id }),
    ]
  }

  describe('threads', () => {
    it('begin idle, without values', async () => {
      const { threads } = world().store
      const thread = aThread({ metadata: { a: [1, null] }, config: { tags: ['x'] } })
      expect(await threads.insert(thread)).toBe(true)
      expect(await threads.get(thread.thread_id)).toEqual({
        ...thread,
        updated_at: CREATED_AT,
        state_updated_at: CREATED_AT,
        status: 'idle',
        values: null,
        interrupts: {},
        error: null,
      })
      expect(await threads.getState(thread.thread_id)).toBeUndefined()
      expect(await threads.get('none')).toBeUndefined()
    })

    it('are not written twice under one id', async () => {
      const { threads } = world().store
      const thread_id = await insertThread()
      expect(await threads.insert(aThread({ thread_id, metadata: { owner: 'eve' } }))).toBe(false)
      expect(await threads.get(thread_id)).toMatchObject({ metadata: { owner: 'ada' } })
    })

    it('may be added as ones that nobody else can have', async () => {
      const { threads } = world().store
      const thread = aThread({ metadata: { owner: 'ada' } })
      await threads.add(thread)
      expect(await threads.get(thread.thread_id)).toMatchObject({ ...thread, status: 'idle' })
      const found = await threads.search({ metadata: { owner: 'ada' } }, PAGE)
      expect(found.map(({ thread_id }) => thread_id)).toEqual([thread.thread_id])
      const { thread_id } = thread
      await expect(threads.add(aThread({ thread_id }))).rejects.toThrow()
      expect(await threads.get(thread_id)).toMatchObject({ metadata: { owner: 'ada' } })
    })

    it('have new labels where it is told what they were', async () => {
      const { threads } = world().store
      const thread = aThread({ metadata: { owner: 'ada' } })
      await threads.insert(thread)
      const patch = { updated_at: LATER, metadata: { owner: 'eve' } }
      await threads.update(thread.thread_id, patch, thread)
      for (const [owner, count] of [['ada', 0] as const, ['eve', 1] as const]) {
        expect(await threads.search({ metadata: { owner } }, PAGE)).toHaveLength(count)
      }
    })

    it('change only what the patch names', async () => {
      const { threads } = world().store
      const thread_id = await insertThread()
      await threads.update(thread_id, { updated_at: LATER, status: 'error', error: 'boom' })
      await threads.update(thread_id, { updated_at: LATER, metadata: { owner: 'bob' } })
      expect(await threads.get(thread_id)).toMatchObject({
        updated_at: LATER,
        state_updated_at: CREATED_AT,
        status: 'error',
        error: 'boom',
        metadata: { owner: 'bob' },
      })
      await threads.update(thread_id, { updated_at: LATER, error: null })
      expect(await threads.get(thread_id)).toMatchObject({ status: 'error', error: null })
    })

    it.each(THREAD_STATUSES)('may be %s', async (status) => {
      const thread_id = await insertThread()
      await world().store.threads.update(thread_id, { updated_at: LATER, status })
      expect(await world().store.threads.get(thread_id)).toMatchObject({ status })
    })

    it('take their values and their interrupts by task from the state', async () => {
      const { threads } = world().store
      const thread_id = await insertThread()
      const asking = aTask({ id: 'asking', interrupts: [{ id: 'i', value: 'name?' }] })
      const state = aState({ values: { n: 1 }, tasks: [aTask({ id: 'silent' }), asking] })
      await threads.update(thread_id, { updated_at: LATER, state })
      expect(await threads.get(thread_id)).toMatchObject({
        values: { n: 1 },
        interrupts: { asking: [{ id: 'i', value: 'name?' }] },
        state_updated_at: LATER,
      })
      expect(await threads.getState(thread_id)).toEqual(state)
    })

    it('have no values when all that they had was rolled back', async () => {
      const { threads } = world().store
      const thread_id = await insertThread()
      const state = aState({ values: {}, checkpoint: null })
      await threads.update(thread_id, { updated_at: LATER, state })
      expect(await threads.get(thread_id)).toMatchObject({ values: null })
    })
  })

  describe('a search of threads', () => {
    /** Made in this order, a minute apart; answers their ids by name. */
    async function insertThreads(metadata: Record<string, JsonObject>) {
      const ids: Record<string, string> = {}
      for (const [name, one] of Object.entries(metadata)) {
        const created_at = new Date(Date.parse(CREATED_AT) + 60_000 * Object.keys(ids).length)
        const thread = aThread({ metadata: one, created_at: created_at.toISOString() })
        await world().store.threads.insert(thread)
        ids[name] = thread.thread_id
      }
      return ids
    }

    async function found(ids: Record<string, string>, query: ThreadQuery, page = {}) {
      const { threads } = world().store
      const nameOf = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
      const names = (await threads.search(query, { ...PAGE, ...page })).map((one) =>
        nameOf.get(one.thread_id),
      )
      if (names.length < PAGE.limit) expect(await threads.count(query)).toBe(names.length)
      return names
    }

    it('counts no further than it is asked to', async () => {
      await insertThreads({ a: { n: 1 }, b: { n: 1 }, c: { n: 1, list: [1] } })
      const { threads } = world().store
      for (const query of [{}, { metadata: { n: 1 } }, { status: 'idle' as const }]) {
        expect(await threads.count(query, 2)).toBe(2)
        expect(await threads.count(query, 4)).toBe(3)
      }
      expect(await threads.count({ metadata: { list: [1] } }, 2)).toBe(1)
    })

    it('finds by what the metadata contain, plain values and others', async () => {
      const ids = await insertThreads({
        a: { kind: 'x', n: 1, tags: ['p', 'q'], deep: { k: [1, 2] } },
        b: { kind: 'x', n: '1', tags: ['p'], "it's": '"quoted" \\ é 😀' },
        c: { kind: 'y', n: 1.5, none: null, is: false },
      })
      expect(await found(ids, {})).toEqual(['c', 'b', 'a'])
      expect(await found(ids, { metadata: { kind: 'x' } })).toEqual(['b', 'a'])
      expect(await found(ids, { metadata: { kind: 'x', n: 1 } })).toEqual(['a'])
      expect(await found(ids, { metadata: { n: 1.5, none: null, is: false } })).toEqual(['c'])
      expect(await found(ids, { metadata: { tags: ['p'] } })).toEqual(['b', 'a'])
      expect(await found(ids, { metadata: { deep: { k: [2] }, kind: 'x' } })).toEqual(['a'])
      expect(await found(ids, { metadata: { "it's": '"quoted" \\ é 😀' } })).toEqual(['b'])
      expect(await found(ids, { metadata: { is: null } })).toEqual([])
    })

    it('leaves out what the metadata must not contain', async () => {
      const ids = await insertThreads({
        a: { kind: 'x', tags: ['p', 'q'] },
        b: { kind: 'y', n: 1 },
        c: {},
      })
      const without = (...exclude_metadata: JsonObject[]) => found(ids, { exclude_metadata })
      expect(await without({ kind: 'x' })).toEqual(['c', 'b'])
      expect(await without({ kind: 'x' }, { n: 1 })).toEqual(['c'])
      expect(await without({ kind: 'x', n: 1 })).toEqual(['c', 'b', 'a'])
      expect(await without({ tags: ['q'] })).toEqual(['c', 'b'])
      expect(await without({ kind: "it's \u0000" })).toEqual(['c', 'b', 'a'])
      const both = { metadata: { kind: 'y' }, exclude_metadata: [{ n: 1 }] }
      expect(await found(ids, both)).toEqual([])
    })

    it('finds by exactly the numbers of the metadata', async () => {
      const [big, next] = ['1234567890123456789', '1234567890123456790']
      const ids = await insertThreads({
        a: parseJson(`{"id":${big},"in":{"id":${big}},"rate":2.0}`),
        b: parseJson(`{"id":${next},"in":{"id":${next}},"rate":2}`),
      })
      const expected: [ThreadQuery, string[]][] = [
        [{ metadata: parseJson(`{"id":${big}}`) }, ['a']],
        [{ metadata: parseJson(`{"in":{"id":${next}}}`) }, ['b']],
        [{ metadata: parseJson('{"rate":2.0}') }, ['b', 'a']],
        [{ metadata: { rate: 2 } }, ['b', 'a']],
        [{ filter: { id: { $eq: parseJson(next) } } }, ['b']],
        [{ filter: { in: { $eq: parseJson(`{"id":${big}}`) } } }, ['a']],
        [{ filter: { $or: [{ id: { $eq: parseJson(next) } }, { rate: { $eq: 3 } }] } }, ['b']],
        [{ filter: { $or: [{ rate: { $eq: parseJson('2.0') } }] } }, ['b', 'a']],
      ]
      for (const [query, wanted] of expected) {
        expect([query, await found(ids, query)]).toEqual([query, wanted])
      }
      const stored = await world().store.threads.get(String(ids.a))
      expect(JSON.stringify(stored?.metadata)).toContain(`{"id":${big},`)
    })

    it('finds by the time of the last change, the earlier bound included', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: { kind: 'x' }, b: { kind: 'x' }, c: {} })
      await threads.update(String(ids.a), { updated_at: LATER, status: 'idle' })
      expect(await found(ids, { updated_after: LATER })).toEqual(['a'])
      expect(await found(ids, { updated_before: LATER })).toEqual(['c', 'b'])
      expect(await found(ids, { updated_before: LATER, metadata: { kind: 'x' } })).toEqual(['b'])
      const between = { updated_after: CREATED_AT, updated_before: LATER }
      expect(await found(ids, between)).toEqual(['c', 'b'])
    })

    it('finds by keys that no text of a database holds', async () => {
      const keys = ['\0', 'half \ud800', '\udc00']
      const all = Object.fromEntries(keys.map((key) => [key, 1]))
      const ids = await insertThreads({ a: { ...all, kind: 'x' }, b: { kind: 'x' } })
      expect(await found(ids, { metadata: { kind: 'x' } })).toEqual(['b', 'a'])
      for (const key of keys) {
        expect(await found(ids, { metadata: { [key]: 1 } })).toEqual(['a'])
        expect(await found(ids, { metadata: { [key]: 2 } })).toEqual([])
      }
    })

    it('finds by many values at once', async () => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]))
      const ids = await insertThreads({ a: many, b: { ...many, k39: 'other' } })
      expect(await found(ids, { metadata: many })).toEqual(['a'])
    })

    it('shows only what a filter allows', async () => {
      const ids = await insertThreads({
        a: { owner: 'ada', tags: ['x', 'y'], deep: { k: 1 } },
        b: { owner: 'bob', tags: ['y'], deep: { k: 2 } },
      })
      expect(await found(ids, { filter: { owner: 'ada' } })).toEqual(['a'])
      expect(await found(ids, { filter: { owner: { $eq: 'bob' } } })).toEqual(['b'])
      expect(await found(ids, { filter: { deep: { $eq: { k: 2 } } } })).toEqual(['b'])
      expect(await found(ids, { filter: { tags: { $contains: 'y' } } })).toEqual(['b', 'a'])
      expect(await found(ids, { filter: { tags: { $contains: ['x', 'y'] } } })).toEqual(['a'])
      const either: MetadataFilter = { $or: [{ owner: 'ada' }, { tags: { $contains: 'y' } }] }
      expect(await found(ids, { filter: either })).toEqual(['b', 'a'])
      expect(await found(ids, { filter: { ...either, owner: 'bob' } })).toEqual(['b'])
      expect(await found(ids, { filter: { $and: [either, { owner: 'ada' }] } })).toEqual(['a'])
      const asked = { metadata: { owner: 'bob' } }
      expect(await found(ids, { ...asked, filter: { owner: 'ada' } })).toEqual([])
      expect(await found(ids, { ...asked, filter: { owner: 'bob' } })).toEqual(['b'])
    })

    it('finds by ids, status and values, and pages in any order', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: {}, b: { k: 1 }, c: { k: 1 } })
      const state = aState({ values: { items: [{ n: 1 }, { n: 2 }] } })
      await threads.update(String(ids.a), { updated_at: LATER, status: 'error', state })
      expect(await found(ids, { ids: [String(ids.b), 'none'] })).toEqual(['b'])
      expect(await found(ids, { status: 'error' })).toEqual(['a'])
      expect(await found(ids, { values: { items: [{ n: 2 }] } })).toEqual(['a'])
      expect(await found(ids, { values: { items: [{ n: 3 }] } })).toEqual([])
      expect(await found(ids, {}, { sort_by: 'updated_at' })).toEqual(['a', 'c', 'b'])
      const oldest = { sort_order: 'asc' }
      expect(await found(ids, {}, oldest)).toEqual(['a', 'b', 'c'])
      expect(await found(ids, {}, { ...oldest, sort_by: 'status' })).toEqual(['a', 'b', 'c'])
      const page = { limit: 1, offset: 1 }
      expect((await threads.search({}, { ...PAGE, ...page })).map((t) => t.thread_id)).toEqual([
        ids.b,
      ])
      const [light] = await threads.search({ status: 'error' }, { ...PAGE, hasState: false })
      expect(light).toMatchObject({ status: 'error', values: null, interrupts: {} })
    })

    it('ends a page where the states become too many bytes, after one at least', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: {}, b: {}, c: {} })
      const state = aState({ values: { text: 'x'.repeat(10_000) } })
      for (const id of [ids.b, ids.c])
        await threads.update(String(id), { updated_at: LATER, state })
      const oldest = { ...PAGE, sort_order: 'asc' } as const
      const upTo = async (maxBytes: number, offset = 0) => {
        const page = await threads.searchUpTo({}, { ...oldest, offset }, { maxBytes })
        return [page.threads.map(({ thread_id }) => thread_id), page.isCut]
      }
      expect(await upTo(15_000)).toEqual([[ids.a, ids.b], true])
      expect(await upTo(1, 2)).toEqual([[ids.c], false])
      expect(await upTo(1, 1)).toEqual([[ids.b], true])
      const all = await threads.searchUpTo({}, oldest, { maxBytes: 100_000 })
      expect(all).toEqual({ threads: await threads.search({}, oldest), isCut: false })
    })

    it('reads a large page in parts, with other work between them', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: {}, b: {}, c: {}, d: {} })
      const state = aState({ values: { text: 'x'.repeat(700_000) } })
      for (const id of Object.values(ids)) await threads.update(id, { updated_at: LATER, state })
      let isOver = false
      const others = (async () => {
        let turns = 0
        for (; !isOver; turns += 1) await turn()
        return turns
      })()
      const page = await threads.searchUpTo({}, PAGE, { maxBytes: 10_000_000 })
      isOver = true
      expect(page).toEqual({ threads: await threads.search({}, PAGE), isCut: false })
      expect(await others).toBeGreaterThanOrEqual(Object.keys(ids).length)
    })

    it('find a text in values and questions, in order', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: { k: 1 }, b: { k: 1 }, c: {}, d: {} })
      const states = {
        a: { values: { text: 'Über "den" Berg' } },
        b: { values: {}, interrupts: [{ value: { question: 'über DEN berg?' } }] },
        c: { values: { über: 1, messages: [{ type: 'ai', content: 'über' }] } },
      }
      for (const [name, state] of Object.entries(states))
        await threads.update(String(ids[name]), { updated_at: LATER, state: aState(state) })
      const search = async (text: string, query: ThreadQuery = {}, order = {}) => {
        const found = await threads.findText(query, text, { ...PAGE, ...order })
        const named = Object.entries(ids).map(([name, id]) => [id, name])
        const nameOf = new Map(named as [string, string][])
        return [found.ids.map((one) => nameOf.get(one)), found.lookedAt]
      }
      expect(await search('ÜBER')).toEqual([['c', 'b', 'a'], undefined])
      const oldest = { sort_order: 'asc' } as const
      expect(await search('ÜBER', {}, oldest)).toEqual([['a', 'b', 'c'], undefined])
      expect(await search('über', { metadata: { k: 1 } })).toEqual([['b', 'a'], undefined])
      expect(await search('"DEN"')).toEqual([['a'], undefined])
      expect(await search('100% ai')).toEqual([[], undefined])
    })

    it('are looked through for a text up to 16 MiB, and say after how many that was', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: {}, b: {}, c: {}, d: {} })
      const state = aState({ values: { text: `${'x'.repeat(6 * 1024 ** 2)} end` } })
      for (const id of Object.values(ids)) await threads.update(id, { updated_at: LATER, state })
      const sizes: number[] = []
      const found = await threads.findText({}, 'END', PAGE, (bytes) => sizes.push(bytes))
      expect(found).toEqual({ ids: [ids.d, ids.c], lookedAt: 2 })
      // Each is a part of its own.
      expect(sizes).toHaveLength(2)
      expect(Math.min(...sizes)).toBeGreaterThan(6 * 1024 ** 2)
    })

    it('counts metadata too, and tells how much it is going to read', async () => {
      const { threads } = world().store
      const large = { text: 'x'.repeat(10_000) }
      const ids = await insertThreads({ a: large, b: large, c: large })
      const oldest = { ...PAGE, sort_order: 'asc', hasState: false } as const
      const told: number[] = []
      const page = await threads.searchUpTo({}, oldest, {
        maxBytes: 25_000,
        onBytes: (bytes) => told.push(bytes),
      })
      expect(page.threads.map(({ thread_id }) => thread_id)).toEqual([ids.a, ids.b])
      expect(page).toMatchObject({ isCut: true, threads: [{ metadata: large, values: null }, {}] })
      expect(told).toEqual([expect.toSatisfy((n: number) => n > 20_000 && n < 25_000)])
      const refuse = () => {
        throw new RangeError('too much')
      }
      const refused = threads.searchUpTo({}, oldest, { maxBytes: 25_000, onBytes: refuse })
      await expect(refused).rejects.toThrow('too much')
    })

    it('goes by the metadata as they are now', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: { k: 1 } })
      await threads.update(String(ids.a), { updated_at: LATER, metadata: { k: 2 } })
      expect(await found(ids, { metadata: { k: 1 } })).toEqual([])
      expect(await found(ids, { metadata: { k: 2 } })).toEqual(['a'])
    })

    it('does not find what was dropped or deleted', async () => {
      const { threads } = world().store
      const ids = await insertThreads({ a: { k: 1 }, b: { k: 1 }, c: { k: 1 } })
      await threads.drop(String(ids.a), 1000)
      expect(await threads.delete(String(ids.b))).toBe(true)
      expect(await threads.delete(String(ids.b))).toBe(false)
      expect(await found(ids, {})).toEqual(['c'])
      expect(await found(ids, { metadata: { k: 1 } })).toEqual(['c'])
      await threads.update(String(ids.a), { updated_at: LATER, metadata: { k: 2 } })
      expect(await found(ids, { metadata: { k: 2 } })).toEqual([])
    })
  })

  describe('the time of a thread', () => {
    const ttl = { strategy: 'delete', ttl_minutes: 1.5 } as const
    const start = Date.parse(CREATED_AT)

    it('is over so many minutes after its last change', async () => {
      const { threads } = world().store
      const { thread_id } = aThread()
      await threads.insert(aThread({ thread_id, ttl }))
      await threads.insert(aThread())
      expect(await threads.getTtl(thread_id)).toEqual(ttl)
      expect(await threads.listExpired(start + 90_000, 10)).toEqual([])
      const expired = [{ thread_id, strategy: 'delete' }]
      expect(await threads.listExpired(start + 90_001, 10)).toEqual(expired)
      const among = (shorterThanMinutes: number) =>
        threads.listExpired(start + 90_001, 10, { shorterThanMinutes })
      expect([await among(1.5), await among(1.6)]).toEqual([[], expired])
      await threads.update(thread_id, { updated_at: LATER, status: 'idle' })
      expect(await threads.listExpired(Date.parse(LATER) + 90_000, 10)).toEqual([])
      expect(await threads.listExpired(Date.parse(LATER) + 90_001, 10)).toEqual(expired)
    })

    it('does not end while it is busy, nor when it has none', async () => {
      const { threads } = world().store
      const { thread_id } = aThread()
      await threads.insert(aThread({ thread_id, ttl }))
      await threads.update(thread_id, { updated_at: CREATED_AT, status: 'busy' })
      const never = Date.parse(LATER) * 2
      expect(await threads.listExpired(never, 10)).toEqual([])
      const other = await insertThread()
      expect(await threads.getTtl(other)).toBeUndefined()
    })

    it('can be given later, and is over once when only the history goes', async () => {
      const { threads } = world().store
      const thread_id = await insertThread()
      const kept = { strategy: 'keep_latest', ttl_minutes: 1 } as const
      await threads.update(thread_id, { updated_at: CREATED_AT, ttl: kept })
      expect(await threads.listExpired(start + 60_001, 10)).toMatchObject([{ thread_id }])
      await threads.markPruned(thread_id)
      expect(await threads.listExpired(start + 60_001, 10)).toEqual([])
      await threads.update(thread_id, { updated_at: LATER, status: 'idle' })
      const later = Date.parse(LATER) + 60_001
      expect(await threads.listExpired(later, 10)).toEqual([{ thread_id, strategy: 'keep_latest' }])
      expect(await threads.listExpired(later, 0)).toEqual([])
    })
  })

  describe('a deleted thread', () => {
    it('is gone at once with all that belongs to it, and nothing else', async () => {
      const { store } = world()
      const [gone, kept] = [await fill(), await fill()]
      await store.threads.delete(gone.thread_id)
      expect(await contents(gone)).toEqual([undefined, undefined, [], []])
      expect(await contents(kept)).toMatchObject([{}, {}, [{}], [{}]])
    })
  })

  describe('a dropped thread', () => {
    it('is out of sight, and its log and run can be read until it is purged', async () => {
      const { store } = world()
      const thread_id = await insertThread()
      const { run_id } = await store.runs.insert(aRun({ thread_id }))
      await store.events.append({ thread_id, run_id, created_at: 1 }, [{ event: 'e', data: '1' }])
      await store.threads.drop(thread_id, 1000)
      expect(await store.threads.get(thread_id)).toBeUndefined()
      expect(await store.threads.getState(thread_id)).toBeUndefined()
      expect(await store.threads.get(thread_id, { isDropped: true })).toMatchObject({ thread_id })
      expect(await store.threads.purge(999)).toBe(0)
      expect(await store.runs.get(run_id)).toMatchObject({ run_id })
      expect(await store.events.read(run_id, -1, 10)).toHaveLength(1)
    })

    it('is purged with all that belongs to it, and nothing else', async () => {
      const { store } = world()
      const [gone, kept] = [await fill(), await fill()]
      await store.threads.drop(gone.thread_id, 1000)
      expect(await store.threads.purge(1000)).toBe(1)
      expect(await contents(gone)).toEqual([undefined, undefined, [], []])
      const [thread, run, events, checkpoints] = await contents(kept)
      expect([thread, run, events, checkpoints]).toMatchObject([{}, {}, [{}], [{}]])
    })
  })
}

function aTask(change: Partial<ThreadTask>): ThreadTask {
  return {
    id: 'task',
    name: 'node',
    error: null,
    interrupts: [],
    checkpoint: null,
    state: null,
    result: null,
    ...change,
  }
}
