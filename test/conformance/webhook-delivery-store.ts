/** What every store of webhook deliveries must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { NewDelivery, QueuedDelivery } from '../../src/core/agent/webhook.ts'
import { type AgentStoreWorld, CREATED_AT, LATER } from '../support/agent/agent-records.ts'

const NOW = 1_795_000_000_000
const TIMES = { now: NOW, again_at: NOW + 1_000 }

function aDelivery(change: Partial<NewDelivery> = {}): NewDelivery {
  return {
    delivery_id: randomUUID(),
    run_id: randomUUID(),
    thread_id: randomUUID(),
    url: 'https://hooks.example/ü',
    created_at: CREATED_AT,
    last_attempt: 3,
    payload: '{"a":1}',
    metadata: {},
    origin: { request_id: 'r' },
    ...change,
  }
}

export function testWebhookDeliveryStore(world: () => AgentStoreWorld): void {
  const deliveries = () => world().store.webhookDeliveries
  const mustClaim = async (): Promise<QueuedDelivery> =>
    (await deliveries().claim(TIMES)) ?? expect.fail('nothing is due')
  const failure = { response_status: 500, error: 'no', updated_at: LATER }

  describe('webhook deliveries', () => {
    it('are due at once, and answered as they were stored', async () => {
      const { metadata, ...delivery } = aDelivery()
      await deliveries().insert({ ...delivery, metadata })
      const stored = {
        ...delivery,
        ...{ status: 'pending', updated_at: CREATED_AT, attempt: 0, next_attempt_at: 0 },
        ...{ response_status: null, error: null, headers: null, problem: null },
      }
      expect(await deliveries().get(delivery.delivery_id)).toEqual(stored)
      expect(await deliveries().nextDue()).toBe(0)
      const again = { attempt: 1, next_attempt_at: TIMES.again_at }
      expect(await deliveries().claim(TIMES)).toEqual({ ...stored, ...again })
    })

    it('keep headers of their own', async () => {
      const delivery = aDelivery({ headers: { authorization: 'Bearer ü' } })
      await deliveries().insert(delivery)
      expect(await mustClaim()).toMatchObject({ headers: { authorization: 'Bearer ü' } })
    })

    it('are handed out once, and again when whoever took them has died', async () => {
      const delivery = aDelivery()
      await deliveries().insert(delivery)
      const other = (await world().another()).webhookDeliveries
      const claims = [deliveries(), other].map((one) => one.claim(TIMES))
      const taken = (await Promise.all(claims)).filter((one) => one !== undefined)
      expect(taken).toHaveLength(1)
      expect(await deliveries().nextDue()).toBe(TIMES.again_at)
      const later = { now: TIMES.again_at, again_at: NOW + 2_000 }
      expect(await deliveries().claim(later)).toMatchObject({ attempt: 2 })
    })

    it('are handed out in the order in which they are due', async () => {
      const [first, second] = [aDelivery(), aDelivery()]
      await deliveries().insert(first)
      await deliveries().settle(await mustClaim(), {
        ...failure,
        status: 'pending',
        next_attempt_at: NOW - 1,
      })
      await deliveries().insert(second)
      expect((await mustClaim()).delivery_id).toBe(second.delivery_id)
      expect((await mustClaim()).delivery_id).toBe(first.delivery_id)
      expect(await deliveries().claim(TIMES)).toBeUndefined()
    })

    it('are settled by the latest attempt only', async () => {
      const { delivery_id, ...rest } = aDelivery()
      await deliveries().insert({ delivery_id, ...rest })
      const attempt = await mustClaim()
      const delivered = {
        status: 'delivered',
        response_status: 200,
        error: null,
        updated_at: LATER,
      } as const
      const stale = { delivery_id, attempt: attempt.attempt - 1 }
      expect(await deliveries().settle(stale, delivered)).toBe(false)
      expect(await deliveries().settle(attempt, delivered)).toBe(true)
      expect(await deliveries().settle(attempt, { ...failure, status: 'failed' })).toBe(false)
      const settled = { status: 'delivered', next_attempt_at: null, response_status: 200 }
      expect(await deliveries().get(delivery_id)).toMatchObject(settled)
      expect(await deliveries().nextDue()).toBeUndefined()
      expect(await deliveries().countPending()).toBe(0)
    })

    it('can be sent again, with more attempts', async () => {
      const { delivery_id, ...rest } = aDelivery()
      await deliveries().insert({ delivery_id, ...rest })
      await deliveries().settle(await mustClaim(), { ...failure, status: 'failed' })
      expect(await deliveries().redeliver(delivery_id, { now: NOW, attempts: 5 })).toBe(true)
      expect(await mustClaim()).toMatchObject({ delivery_id, attempt: 2, last_attempt: 6 })
      expect(await deliveries().redeliver(randomUUID(), { now: NOW, attempts: 5 })).toBe(false)
    })

    it('are found by run, thread, status and what the caller may see, the latest first', async () => {
      const thread_id = randomUUID()
      const first = aDelivery({ thread_id, metadata: { owner: 'a' } })
      const second = aDelivery({ thread_id, created_at: LATER, metadata: { owner: 'b' } })
      for (const one of [second, first]) await deliveries().insert(one)
      const search = async (query: object, page = { limit: 10, offset: 0 }) =>
        (await deliveries().search(query, page)).map((one) => one.delivery_id)
      expect(await search({ thread_id })).toEqual([second.delivery_id, first.delivery_id])
      expect(await search({ thread_id }, { limit: 1, offset: 1 })).toEqual([first.delivery_id])
      expect(await search({ run_id: first.run_id })).toEqual([first.delivery_id])
      expect(await search({ status: 'failed' })).toEqual([])
      expect(await search({ filter: { owner: 'b' } })).toEqual([second.delivery_id])
      const hidden = aDelivery({ thread_id, url: 'https://hooks.example.com/?token=x' })
      await deliveries().insert(hidden)
      const hidden_urls = [hidden.url, 'https://hooks.example.com/other']
      expect(await search({ thread_id, hidden_urls })).toEqual([
        second.delivery_id,
        first.delivery_id,
      ])
      expect(await deliveries().get(first.delivery_id, { owner: 'b' })).toBeUndefined()
      expect(await deliveries().get(first.delivery_id, { owner: { $eq: 'a' } })).toBeDefined()
    })

    it('expire once they are settled', async () => {
      await deliveries().insert(aDelivery())
      await deliveries().settle(await mustClaim(), { ...failure, status: 'failed' })
      await deliveries().insert(aDelivery())
      expect(await deliveries().expire(LATER)).toBe(0)
      expect(await deliveries().expire('2026-11-20T13:00:00.001Z')).toBe(1)
      expect(await deliveries().countPending()).toBe(1)
    })
  })
}
