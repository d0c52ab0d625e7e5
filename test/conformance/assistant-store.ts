/** What every store of assistants must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AssistantPage, AssistantQuery } from '../../src/core/agent/assistant.ts'
import type { MetadataFilter } from '../../src/core/agent/authorization.ts'
import { type AgentStoreWorld, anAssistant, LATER } from '../support/agent/agent-records.ts'

const FIRST: AssistantPage = { sort_by: 'created_at', sort_order: 'desc', limit: 10, offset: 0 }

export function testAssistantStore(world: () => AgentStoreWorld): void {
  const store = () => world().store.assistants

  describe('assistants', () => {
    it('gives back an assistant as it was stored', async () => {
      const assistant = anAssistant({ context: ['any', { json: null }], description: 'ü' })
      expect(await store().insert(assistant)).toBe(true)
      expect(await store().get(assistant.assistant_id)).toEqual(assistant)
      expect(await store().get('none')).toBeUndefined()
    })

    it('leaves the assistant alone whose id is wanted again', async () => {
      const first = anAssistant()
      await store().insert(first)
      const again = anAssistant({ assistant_id: first.assistant_id, name: 'other' })
      expect(await store().insert(again)).toBe(false)
      expect(await store().get(first.assistant_id)).toEqual(first)
      expect(await store().versions(first.assistant_id, { limit: 9, offset: 0 })).toHaveLength(1)
    })

    it('puts a change in the place of what was, and keeps when it was made', async () => {
      const before = anAssistant({ metadata: { team: 'a' } })
      await store().insert(before)
      const after = anAssistant({
        assistant_id: before.assistant_id,
        graph_id: 'other',
        name: 'Renamed',
        description: 'new',
        config: {},
        context: { a: 1 },
        metadata: { team: 'b' },
        version: 7,
        updated_at: LATER,
      })
      await store().update({ ...after, created_at: LATER })
      expect(await store().get(before.assistant_id)).toEqual(after)
      expect(await store().count({ name: 'renamed', metadata: { team: 'b' } })).toBe(1)
      expect(await store().count({ metadata: { team: 'a' } })).toBe(0)
    })

    it('removes an assistant with its versions', async () => {
      const { assistant_id } = anAssistant()
      await store().insert(anAssistant({ assistant_id }))
      expect(await store().delete(assistant_id)).toBe(true)
      expect(await store().delete(assistant_id)).toBe(false)
      expect(await store().get(assistant_id)).toBeUndefined()
      expect(await store().lastVersion(assistant_id)).toBe(0)
    })
  })

  describe('versions of assistants', () => {
    it('are answered newest first, in pages, and by number', async () => {
      const first = anAssistant({ metadata: { stage: 1, common: true } })
      await store().insert(first)
      for (const version of [2, 3]) {
        const metadata = { stage: version, common: true }
        await store().putVersion({ ...first, version, metadata, updated_at: LATER })
      }
      const { assistant_id } = first
      const list = (page: object) =>
        store().versions(assistant_id, { limit: 9, offset: 0, ...page })
      const numbers = async (page: object) => (await list(page)).map(({ version }) => version)
      expect(await numbers({})).toEqual([3, 2, 1])
      expect(await numbers({ limit: 1, offset: 1 })).toEqual([2])
      expect(await numbers({ metadata: { stage: 2, common: true } })).toEqual([2])
      expect(await store().lastVersion(assistant_id)).toBe(3)
      expect(await store().getVersion(assistant_id, 1)).toEqual(first)
      expect(await store().getVersion(assistant_id, 2)).toMatchObject({ created_at: LATER })
      expect(await store().getVersion(assistant_id, 4)).toBeUndefined()
    })

    it('keep their time when they are written again', async () => {
      const first = anAssistant()
      await store().insert(first)
      await store().putVersion({ ...first, name: 'rewritten', updated_at: LATER })
      const expected = { ...first, name: 'rewritten' }
      expect(await store().getVersion(first.assistant_id, 1)).toEqual(expected)
    })
  })

  describe('searching assistants', () => {
    const names = async (query: AssistantQuery, page: Partial<AssistantPage> = {}) =>
      (await store().search(query, { ...FIRST, ...page })).map(({ name }) => name)

    const three = async () => {
      const records = [
        { name: 'Ärzte', graph_id: 'b', metadata: { team: 'x', tags: ['p', 'q'], at: { n: 1 } } },
        { name: 'a_b', graph_id: 'a', metadata: { team: 'x', tags: ['q'], at: { n: 2, m: 0 } } },
        { name: 'axb', graph_id: 'a', metadata: { team: 'y', flag: null, deep: [{ a: 1, b: 2 }] } },
      ]
      for (const [index, record] of records.entries()) {
        const created_at = `2026-11-20T12:00:0${index}.000Z`
        const updated_at = `2026-11-20T12:00:0${9 - index}.000Z`
        const assistant_id = `${index}${randomUUID().slice(1)}`
        await store().insert(anAssistant({ ...record, assistant_id, created_at, updated_at }))
      }
    }

    it('sorts by each field, both ways, page by page', async () => {
      await three()
      const oldest = ['Ärzte', 'a_b', 'axb']
      expect(await names({})).toEqual(oldest.toReversed())
      expect(await names({}, { sort_order: 'asc' })).toEqual(oldest)
      expect(await names({}, { sort_by: 'updated_at' })).toEqual(oldest)
      expect(await names({}, { sort_by: 'assistant_id', sort_order: 'asc' })).toEqual(oldest)
      expect(await names({}, { sort_by: 'name', sort_order: 'asc' })).toEqual([
        'a_b',
        'axb',
        'Ärzte',
      ])
      expect(await names({}, { sort_by: 'graph_id' })).toEqual(['Ärzte', 'axb', 'a_b'])
      expect(await names({}, { limit: 1, offset: 1 })).toEqual(['a_b'])
      expect(await names({}, { offset: 3 })).toEqual([])
    })

    it.each<[string, AssistantQuery, string[]]>([
      ['a graph', { graph_id: 'a' }, ['axb', 'a_b']],
      ['a part of the name in any case', { name: 'äRZ' }, ['Ärzte']],
      ['a name with a wildcard of SQL in it', { name: 'A_B' }, ['a_b']],
      ['any name', { name: '' }, ['axb', 'a_b', 'Ärzte']],
      ['a value of the metadata', { metadata: { team: 'x' } }, ['a_b', 'Ärzte']],
      ['null', { metadata: { flag: null } }, ['axb']],
      ['a part of an object', { metadata: { at: { n: 2 } } }, ['a_b']],
      ['some items of a list', { metadata: { tags: ['q', 'p'] } }, ['Ärzte']],
      ['a part of an item', { metadata: { deep: [{ b: 2 }] } }, ['axb']],
      ['everything at once', { graph_id: 'a', name: 'B', metadata: { team: 'y' } }, ['axb']],
      ['a key that all objects have', { metadata: { constructor: 'x' } }, []],
      ['a value of another kind', { metadata: { team: ['x'] } }, []],
    ])('finds by %s', async (_what, query, expected) => {
      await three()
      expect(await names(query)).toEqual(expected)
      expect(await store().count(query)).toBe(expected.length)
    })

    it('finds nothing where the client asks for what the filter hides', async () => {
      await three()
      expect(await names({ metadata: { team: 'x' }, filter: { team: 'y' } })).toEqual([])
      expect(await names({ metadata: { team: 'y' }, filter: { team: 'y' } })).toEqual(['axb'])
      const one = { metadata: { team: 'x', tags: ['q'] }, filter: { tags: { $contains: 'p' } } }
      expect(await names(one)).toEqual(['Ärzte'])
    })

    it.each<[MetadataFilter, string[]]>([
      [{ team: 'x' }, ['a_b', 'Ärzte']],
      [{ team: { $eq: 'y' } }, ['axb']],
      [{ at: { $eq: { n: 1 } } }, ['Ärzte']],
      [{ at: { $eq: { n: 2 } } }, []],
      [{ tags: { $contains: 'q' } }, ['a_b', 'Ärzte']],
      [{ tags: { $contains: ['q', 'p'] } }, ['Ärzte']],
      [{ team: 'x', tags: { $contains: 'p' } }, ['Ärzte']],
      [{ $or: [{ team: 'y' }, { at: { $eq: { n: 1 } } }] }, ['axb', 'Ärzte']],
      [{ team: 'x', $or: [{ team: 'y' }, { tags: { $contains: 'p' } }] }, ['Ärzte']],
      [{ $and: [{ team: 'x' }, { $or: [{ tags: { $contains: 'p' } }, { no: 'x' }] }] }, ['Ärzte']],
      [{ $or: [{ team: 'z' }, { no: 'x' }] }, []],
      [{ 'no"such': { $eq: 1 } }, []],
      [{ toString: 'x' }, []],
    ])('shows what the filter %j lets through', async (filter, expected) => {
      await three()
      expect(await names({ filter })).toEqual(expected)
      expect(await store().count({ filter })).toBe(expected.length)
    })
  })
}
