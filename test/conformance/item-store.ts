/** What every store of items does. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemChange, ItemQuery, ItemStore, NewItem } from '../../src/core/agent/items/item.ts'
import { parseJson } from '../../src/core/exact-json.ts'
import type { AgentStoreWorld } from '../support/agent/agent-records.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const MINUTE = 60_000
const read = { now: NOW, isRefreshed: false }
const ALL = { limit: 100, offset: 0 }

function anItem(key: string, change: Partial<NewItem> = {}): NewItem {
  return { namespace: ['n'], key, value: { key }, ttl_minutes: null, vectors: [], ...change }
}

function aMeaning(...vector: number[]): NewItem['vectors'] {
  return [{ field: '$', vector }]
}

export function testItemStore(world: () => AgentStoreWorld): void {
  describe('items', () => {
    let items: ItemStore
    const write = (...changes: ItemChange[]) => items.write(changes, NOW)
    const keys = async (query: Partial<ItemQuery>, page = ALL) => {
      const found = await items.search({ namespace_prefix: [], ...query }, page, read)
      return found.map(({ key }) => key)
    }

    beforeEach(() => {
      items = world().store.items
    })

    it('are read as they were written, and are not there after their removal', async () => {
      const value = { text: 'a', deep: { list: [1, null, '\u0000', '"'] } }
      await write(anItem('k', { namespace: ['a', 'b'], value }))
      const at = { namespace: ['a', 'b'], key: 'k' }
      const time = new Date(NOW).toISOString()
      expect(await items.get(at, read)).toEqual({
        ...at,
        value,
        created_at: time,
        updated_at: time,
      })
      expect(await items.get({ ...at, namespace: ['a'] }, read)).toBeUndefined()
      await write({ ...at, value: null }, { ...at, value: null })
      expect(await items.get(at, read)).toBeUndefined()
    })

    it('keep the time that they were made at', async () => {
      await write(anItem('k'))
      await items.write([anItem('k', { value: { again: true } })], NOW + 5)
      const at = { namespace: ['n'], key: 'k' }
      expect(await items.get(at, read)).toMatchObject({
        value: { again: true },
        created_at: new Date(NOW).toISOString(),
        updated_at: new Date(NOW + 5).toISOString(),
      })
    })

    it('stay one when several write them at once', async () => {
      const other = (await world().another()).items
      await Promise.all(
        [0, 1, 2, 3, 4, 5].map((n) =>
          (n % 2 ? items : other).write([anItem('k', { value: { n } })], NOW + n),
        ),
      )
      expect(await keys({})).toEqual(['k'])
    })

    it('are written all or none', async () => {
      const bad = anItem('bad', { vectors: aMeaning(Number.NaN) })
      await expect(write(anItem('good'), bad)).rejects.toThrow()
      expect(await keys({})).toEqual([])
    })

    it('are found by the beginning of their namespace, label by label', async () => {
      await write(
        anItem('1', { namespace: ['a'] }),
        anItem('2', { namespace: ['a', 'b'] }),
        anItem('3', { namespace: ['ab'] }),
        anItem('4', { namespace: ['a-b', 'c'] }),
      )
      expect((await keys({ namespace_prefix: ['a'] })).toSorted()).toEqual(['1', '2'])
      expect(await keys({ namespace_prefix: ['a', 'b'] })).toEqual(['2'])
      expect(await keys({ namespace_prefix: ['b'] })).toEqual([])
    })

    it('come newest first, page by page, over many rows', async () => {
      const all = Array.from({ length: 1_203 }, (_, n) => String(n).padStart(4, '0'))
      for (const key of all.slice(0, 600)) await items.write([anItem(key)], NOW + Number(key))
      // Of one moment: their order is theirs to choose, but it stays.
      await write(...all.slice(600).map((key) => anItem(key)))
      const found = await keys({}, { limit: 2_000, offset: 0 })
      expect(found.slice(0, 599)).toEqual(all.slice(1, 600).toReversed())
      expect(found.toSorted()).toEqual(all)
      const pages = [0, 1, 2].map((page) => keys({}, { limit: 500, offset: 500 * page }))
      expect((await Promise.all(pages)).flat()).toEqual(found)
    })

    it('are found by what their values hold', async () => {
      await write(
        anItem('1', { value: { kind: 'a', size: 1, tags: ['x'], at: '2026-01-01' } }),
        anItem('2', { value: { kind: 'b', size: 2.5, deep: { a: 1, b: 2 }, at: '2026-02-01' } }),
        anItem('3', { value: { kind: null, size: 10, flag: true } }),
      )
      const expected: [ItemQuery['filter'], string[]][] = [
        [{ kind: 'a' }, ['1']],
        [{ kind: { $eq: 'b' } }, ['2']],
        [{ kind: { $ne: 'a' } }, ['2', '3']],
        [{ kind: null }, ['3']],
        [{ size: { $gt: 1, $lte: 10 } }, ['2', '3']],
        [{ size: { $gte: 2.5, $lt: 10 } }, ['2']],
        [{ at: { $gt: '2026-01-15' } }, ['2']],
        [{ kind: { $in: ['a', 'b'] } }, ['1', '2']],
        [{ kind: { $nin: ['a'] } }, ['2', '3']],
        [{ deep: { a: 1 } }, ['2']],
        [{ tags: ['x'] }, ['1']],
        [{ flag: true, size: { $gt: 1 } }, ['3']],
        [{ kind: 'a', size: 2.5 }, []],
      ]
      for (const [filter, wanted] of expected) {
        const found = await keys({ ...(filter && { filter }) })
        expect([filter, found.toSorted()]).toEqual([filter, wanted])
      }
    })

    it('are found by thousands of fields', async () => {
      const value = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`k${n}`, n]))
      await write(anItem('all', { value }), anItem('one less', { value: { ...value, k2499: 0 } }))
      expect(await keys({ filter: value })).toEqual(['all'])
    })

    it('are found by exactly their numbers', async () => {
      const [big, next] = ['1234567890123456789', '1234567890123456790']
      for (const [key, n] of Object.entries({ big, next, float: '2.0', list: `[${big},2.0]` })) {
        await write(anItem(key, { value: parseJson(`{"n":${n},"in":{"n":${n}}}`) }))
      }
      const stored = await items.get({ namespace: ['n'], key: 'big' }, read)
      expect(JSON.stringify(stored?.value)).toBe(`{"n":${big},"in":{"n":${big}}}`)
      const expected: [string, string[]][] = [
        [`{"n":${big}}`, ['big']],
        [`{"in":{"n":${next}}}`, ['next']],
        [`{"n":{"$gt":${big}}}`, ['next']],
        [`{"n":{"$lt":${next}}}`, ['big', 'float']],
        [`{"n":{"$ne":${big}}}`, ['float', 'list', 'next']],
        ['{"n":2}', ['float']],
        [`{"n":[${big},2]}`, ['list']],
        [`{"n":[${next},2]}`, []],
      ]
      for (const [filter, wanted] of expected) {
        const found = await keys({ filter: parseJson(filter) })
        expect([filter, found.toSorted()]).toEqual([filter, wanted])
      }
    })

    it('are found beside items that hold any text', async () => {
      await write(
        anItem('zero', { value: { kind: 'a', text: '\u0000' } }),
        anItem('quotes', { value: { kind: 'a', 'a"b\\c': '"\\', é: '\ud83d' } }),
      )
      expect((await keys({ filter: { kind: 'a' } })).toSorted()).toEqual(['quotes', 'zero'])
      expect(await keys({ filter: { 'a"b\\c': '"\\' } })).toEqual(['quotes'])
      expect(await keys({ filter: { text: '\u0000' } })).toEqual(['zero'])
      expect(await keys({ filter: { é: '\ud83d' } })).toEqual(['quotes'])
      expect(await keys({ filter: { 'no\u0000ne': 1 } })).toEqual([])
    })

    it('are found only by those who may see them', async () => {
      const seen = { owner: 'ann' }
      await write(
        anItem('hers', { value: { owner: 'ann' }, vectors: aMeaning(1, 0) }),
        anItem('his', { namespace: ['m'], value: { owner: 'bob' }, vectors: aMeaning(1, 0) }),
      )
      expect(await keys({ seen })).toEqual(['hers'])
      const query = { namespace_prefix: [], seen, vector: [1, 0] }
      expect(await items.nearest(query, ALL, read)).toMatchObject([{ key: 'hers' }])
      expect(await items.namespaces({ seen }, ALL, NOW)).toEqual([['n']])
    })

    it('are seen by their namespace and their key too', async () => {
      const value = { namespace: 'a field of its own', key: 'another' }
      const vectors = aMeaning(1)
      await write(
        anItem('k', { namespace: ['users', 'ann'], value, vectors }),
        anItem('k', { namespace: ['users', 'bob'], value, vectors }),
      )
      const seen = { namespace: { $contains: 'ann' }, key: 'k' }
      const found = await items.search({ namespace_prefix: [], seen }, ALL, read)
      expect(found).toMatchObject([{ namespace: ['users', 'ann'], value }])
      const query = { namespace_prefix: [], seen, vector: [1] }
      expect(await items.nearest(query, ALL, read)).toMatchObject([{ namespace: ['users', 'ann'] }])
      expect(await items.namespaces({ seen }, ALL, NOW)).toEqual([['users', 'ann']])
    })

    it('are gone when their time is up, before anyone removes them', async () => {
      await write(anItem('short', { ttl_minutes: 1, vectors: aMeaning(1) }), anItem('long'))
      const later = { now: NOW + MINUTE, isRefreshed: true }
      const query = { namespace_prefix: [] }
      expect(await items.get({ namespace: ['n'], key: 'short' }, later)).toBeUndefined()
      expect(await items.search(query, ALL, later)).toMatchObject([{ key: 'long' }])
      expect(await items.nearest({ ...query, vector: [1] }, ALL, later)).toEqual([])
      expect(await items.expire(NOW + MINUTE - 1, 10)).toBe(0)
      expect(await items.expire(NOW + MINUTE, 10)).toBe(1)
      expect(await items.expire(NOW + MINUTE, 10)).toBe(0)
    })

    it('are new when they are written after their time was up', async () => {
      await write(anItem('k', { ttl_minutes: 1 }))
      await items.write([anItem('k')], NOW + MINUTE)
      const found = await items.get({ namespace: ['n'], key: 'k' }, { ...read, now: NOW + MINUTE })
      expect(found?.created_at).toBe(new Date(NOW + MINUTE).toISOString())
    })

    it('begin their time anew when they are read so', async () => {
      const at = { namespace: ['n'], key: 'k' }
      const query = { namespace_prefix: [], vector: [1] }
      await write(anItem('k', { ttl_minutes: 1, vectors: aMeaning(1) }))
      let now = NOW
      const late = () => {
        now += MINUTE / 2 + 1
        return { now, isRefreshed: true }
      }
      expect(await items.get(at, late())).toBeDefined()
      expect(await items.search(query, ALL, late())).toHaveLength(1)
      expect(await items.nearest(query, ALL, late())).toHaveLength(1)
      expect(await items.get(at, { ...late(), isRefreshed: false })).toBeDefined()
      expect(await items.get(at, late())).toBeUndefined()
    })

    it('are found by what they mean, the nearest first, each once', async () => {
      await items.prepareVectors()
      const two = [...aMeaning(0, 1), { field: 'more', vector: [0.8, 0.6] }]
      await write(
        anItem('far', { vectors: aMeaning(-1, 0) }),
        anItem('near', { vectors: aMeaning(2, 0) }),
        anItem('middle', { vectors: two, value: { is: 'middle' } }),
        anItem('nothing', { vectors: aMeaning(0, 0) }),
        anItem('other model', { vectors: aMeaning(1, 0, 0) }),
        anItem('unindexed'),
      )
      const query = { namespace_prefix: ['n'], vector: [1, 0] }
      const found = await items.nearest(query, ALL, read)
      expect(found.map(({ key, score }) => [key, Number(score?.toFixed(3))])).toEqual([
        ['near', 1],
        ['middle', 0.8],
        ['nothing', 0],
        ['far', -1],
      ])
      const second = await items.nearest(query, { limit: 1, offset: 1 }, read)
      expect(second).toMatchObject([{ key: 'middle' }])
      const filter = { is: { $in: ['middle'] } }
      expect(await items.nearest({ ...query, filter }, ALL, read)).toMatchObject([
        { key: 'middle' },
      ])
    })

    it('lose what they were found by when they are written again', async () => {
      await write(anItem('k', { vectors: aMeaning(1) }))
      await write(anItem('k'))
      expect(await items.nearest({ namespace_prefix: [], vector: [1] }, ALL, read)).toEqual([])
    })

    it('have namespaces, which are listed by their labels', async () => {
      const paths = [['b', 'x'], ['a', 'x', 'y'], ['a'], ['a', 'z', 'y'], ['a!', 'x']]
      await write(...paths.map((namespace) => anItem('k', { namespace })))
      await write(anItem('k2', { namespace: ['a'] }), anItem('old', { namespace: ['o'] }))
      await write({ namespace: ['o'], key: 'old', value: null })
      const list = (query: object, page = ALL) => items.namespaces(query, page, NOW)
      const sorted = [['a'], ['a', 'x', 'y'], ['a', 'z', 'y'], ['a!', 'x'], ['b', 'x']]
      expect(await list({})).toEqual(sorted)
      expect(await list({}, { limit: 2, offset: 1 })).toEqual(sorted.slice(1, 3))
      expect(await list({ prefix: ['a'] })).toEqual(sorted.slice(0, 3))
      expect(await list({ prefix: ['a', '*', 'y'] })).toEqual(sorted.slice(1, 3))
      expect(await list({ suffix: ['x'] })).toEqual(sorted.slice(3))
      expect(await list({ suffix: ['x', '*'] })).toEqual([['a', 'x', 'y']])
      expect(await list({ max_depth: 1 })).toEqual([['a'], ['a!'], ['b']])
      expect(await list({ prefix: ['a'], suffix: ['y'], max_depth: 2 })).toEqual([
        ['a', 'x'],
        ['a', 'z'],
      ])
    })
  })
}
