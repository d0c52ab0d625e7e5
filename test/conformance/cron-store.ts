/** What every store of crons does. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CronPage, CronQuery, CronStore, StoredCron } from '../../src/core/agent/cron.ts'
import {
  type AgentStoreWorld,
  anAssistant,
  aThread,
  CREATED_AT,
  LATER,
} from '../support/agent/agent-records.ts'

const DUE = '2026-11-20T12:30:00.000Z'
const PAGE: CronPage = { sort_by: 'created_at', sort_order: 'desc', limit: 10, offset: 0 }

export function testCronStore(world: () => AgentStoreWorld): void {
  describe('crons', () => {
    let crons: CronStore
    const assistant = anAssistant()
    const thread = aThread()

    function aCron(change: Partial<StoredCron> = {}): StoredCron {
      return {
        cron_id: randomUUID(),
        assistant_id: assistant.assistant_id,
        thread_id: null,
        end_time: null,
        schedule: '* * * * *',
        timezone: null,
        created_at: CREATED_AT,
        updated_at: CREATED_AT,
        user_id: null,
        payload: { input: { text: 'x' } },
        next_run_date: DUE,
        last_run: null,
        metadata: {},
        enabled: true,
        on_run_completed: change.thread_id ? null : 'delete',
        caller: { identity: 'ann', permissions: ['p'], headers: { 'x-a': 'b' } },
        ...change,
      }
    }

    async function stored(change: Partial<StoredCron> = {}): Promise<StoredCron> {
      const cron = aCron(change)
      await crons.insert(cron)
      return cron
    }

    beforeEach(async () => {
      crons = world().store.crons
      await world().store.assistants.insert(assistant)
      await world().store.threads.insert(thread)
    })

    it('keep what they have started last, and how that has ended', async () => {
      const { cron_id } = await stored()
      const run = {
        ...{ run_id: randomUUID(), thread_id: thread.thread_id, created_at: DUE },
        ...({ status: 'pending', error: null } as const),
      }
      await crons.noteRun(cron_id, run)
      expect((await crons.get(cron_id))?.last_run).toEqual(run)
      await crons.noteEnd(cron_id, { ...run, run_id: randomUUID(), status: 'success' })
      expect((await crons.get(cron_id))?.last_run).toEqual(run)
      const ended = { ...run, status: 'error', error: 'Error: no ink' } as const
      await crons.noteEnd(cron_id, ended)
      const [found] = await crons.search({}, PAGE)
      expect(found?.last_run).toEqual(ended)
      const refused = { ...ended, run_id: null, thread_id: null, status: 'refused' } as const
      await crons.noteRun(cron_id, refused)
      await crons.noteEnd(cron_id, ended)
      expect((await crons.get(cron_id))?.last_run).toEqual(refused)
    })

    it('are read as they were written', async () => {
      const plain = await stored()
      const full = await stored({
        thread_id: thread.thread_id,
        end_time: LATER,
        timezone: 'Europe/Berlin',
        user_id: 'ann',
        next_run_date: null,
        metadata: { a: { b: 1 } },
        enabled: false,
      })
      expect(await crons.get(plain.cron_id)).toEqual(plain)
      expect(await crons.get(full.cron_id)).toEqual(full)
      expect(await crons.get(randomUUID())).toBeUndefined()
    })

    it('are changed, but for what they are of, and removed', async () => {
      const cron = await stored()
      const changed: StoredCron = {
        ...cron,
        end_time: LATER,
        schedule: '0 9 * * *',
        timezone: 'Asia/Tokyo',
        updated_at: LATER,
        payload: { input: 1 },
        next_run_date: null,
        metadata: { b: 2 },
        enabled: false,
        on_run_completed: 'keep',
      }
      await crons.update({ ...changed, assistant_id: randomUUID(), created_at: LATER })
      expect(await crons.get(cron.cron_id)).toEqual(changed)
      expect(await crons.delete(cron.cron_id)).toBe(true)
      expect(await crons.delete(cron.cron_id)).toBe(false)
    })

    it('go with their assistant and with their thread', async () => {
      const ofThread = await stored({ thread_id: thread.thread_id })
      const ofAssistant = await stored()
      await world().store.threads.delete(thread.thread_id)
      expect(await crons.get(ofThread.cron_id)).toBeUndefined()
      await world().store.assistants.delete(assistant.assistant_id)
      expect(await crons.get(ofAssistant.cron_id)).toBeUndefined()
    })

    it('are found and counted', async () => {
      const one = await stored({ metadata: { kind: 'a', n: 1 } })
      const two = await stored({ metadata: { kind: 'a', owner: 'ann' }, created_at: LATER })
      const off = await stored({ enabled: false, next_run_date: null })
      const bound = await stored({ thread_id: thread.thread_id })
      const find = async (query: CronQuery) => {
        const found = await crons.search(query, PAGE)
        expect(await crons.count(query)).toBe(found.length)
        return found.map(({ cron_id }) => cron_id).toSorted()
      }
      const ids = (...list: StoredCron[]) => list.map(({ cron_id }) => cron_id).toSorted()
      expect(await find({})).toEqual(ids(one, two, off, bound))
      expect(await find({ metadata: { kind: 'a' } })).toEqual(ids(one, two))
      expect(await find({ filter: { owner: 'ann' } })).toEqual(ids(two))
      expect(await find({ enabled: false })).toEqual(ids(off))
      expect(await find({ thread_id: thread.thread_id })).toEqual(ids(bound))
      expect(await find({ assistant_id: assistant.assistant_id, enabled: true })).toHaveLength(3)
      expect(await find({ assistant_id: randomUUID() })).toEqual([])
      const [first] = await crons.search({}, { ...PAGE, limit: 1 })
      expect(first).toEqual({ ...two, caller: undefined })
    })

    it('are sorted by any field, those without one last', async () => {
      const soon = await stored({ next_run_date: CREATED_AT })
      const late = await stored({ next_run_date: LATER })
      const never = await stored({ next_run_date: null })
      const order = async (sort_order: CronPage['sort_order']) => {
        const found = await crons.search({}, { ...PAGE, sort_by: 'next_run_date', sort_order })
        return found.map(({ cron_id }) => cron_id)
      }
      expect(await order('asc')).toEqual([soon, late, never].map(({ cron_id }) => cron_id))
      expect(await order('desc')).toEqual([late, soon, never].map(({ cron_id }) => cron_id))
    })

    it('are due at their time, the one that waits longest first', async () => {
      expect(await crons.nextDue()).toBeUndefined()
      const later = await stored({ next_run_date: LATER })
      const due = await stored()
      await stored({ next_run_date: null })
      expect(await crons.nextDue()).toBe(Date.parse(DUE))
      expect(await crons.listDue(CREATED_AT, 10)).toEqual([])
      expect(await crons.listDue(DUE, 10)).toEqual([due])
      expect(await crons.listDue(LATER, 10)).toEqual([due, later])
      expect(await crons.listDue(LATER, 1)).toEqual([due])
    })

    it('give each due time to one of those who ask for it', async () => {
      const cron = await stored()
      const other = (await world().another()).crons
      const asked = [crons, other, crons, other].map((store) => store.advance(cron, LATER))
      expect((await Promise.all(asked)).filter(Boolean)).toEqual([true])
      expect((await crons.get(cron.cron_id))?.next_run_date).toBe(LATER)
    })

    it('give no due time to who has read what was changed since', async () => {
      const cron = await stored()
      await crons.update({ ...cron, payload: { input: 2 }, updated_at: LATER })
      expect(await crons.advance(cron, LATER)).toBe(false)
    })
  })
}
