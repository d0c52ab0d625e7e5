/** What every store does with the credentials of push notifications. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import type { PushConfig } from '../../src/core/agent/push-config.ts'
import type { NewDelivery } from '../../src/core/agent/webhook.ts'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { type AgentStoreWorld, aThread, CREATED_AT } from '../support/agent/agent-records.ts'

const [KEY, OTHER_KEY] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const UNREADABLE = expect.stringContaining('cannot be decrypted with the key of this agent server')

const SECRETS = {
  token: 'the-tøken',
  authentication: { scheme: 'Bearer', credentials: 'the-crédential' },
}
const HEADERS = { 'x-a2a-notification-token': 'the-token', authorization: 'Bearer the-credential' }
const PLAIN_HEADERS = { 'content-type': 'application/a2a+json' }

export function testCredentials(world: () => AgentStoreWorld): void {
  describe('credentials of push notifications', () => {
    let sealed: AgentStore
    let config: PushConfig
    let delivery: NewDelivery

    beforeEach(async () => {
      sealed = await world().another(createSecretBox(KEY))
      const { thread_id, ...thread } = aThread()
      await sealed.threads.insert({ thread_id, ...thread })
      config = {
        ...{ task_id: randomUUID(), config_id: 'one', thread_id, version: '1.0' },
        ...{ created_at: CREATED_AT, config: { url: 'https://hooks.example/told', ...SECRETS } },
      }
      delivery = {
        ...{ delivery_id: randomUUID(), run_id: randomUUID(), thread_id, origin: null },
        ...{ url: 'https://hooks.example/told', created_at: CREATED_AT, last_attempt: 3 },
        ...{ payload: '{"a":1}', metadata: {}, headers: { ...PLAIN_HEADERS, ...HEADERS } },
      }
    })

    /** Writes both. */
    const write = async (store: AgentStore) => {
      await store.pushConfigs.put(config)
      await store.webhookDeliveries.insert(delivery)
    }
    const read = async ({ pushConfigs, webhookDeliveries }: AgentStore) => ({
      configs: await pushConfigs.list(config.task_id),
      delivery: await webhookDeliveries.get(delivery.delivery_id),
    })
    const whole = () => ({
      configs: [config],
      delivery: expect.objectContaining({ headers: delivery.headers, problem: null }),
    })
    const stored = async () => {
      const sqls = ['config AS text FROM push_configs', 'headers AS text FROM webhook_deliveries']
      const found = await Promise.all(sqls.map((sql) => world().rows(`SELECT ${sql}`)))
      return JSON.stringify(found)
    }

    it('do not stand in the database, and are read as they were given', async () => {
      await write(sealed)
      expect(await stored()).not.toMatch(/the-|Bearer/)
      expect(await stored()).toContain('hooks.example/told')
      expect(await read(sealed)).toEqual(whole())
      expect(await sealed.webhookDeliveries.claim({ now: 1, again_at: 2 })).toMatchObject({
        headers: delivery.headers,
      })
    })

    it('are encrypted inside of a transaction too', async () => {
      await sealed.transaction(write)
      expect(await stored()).not.toMatch(/the-|Bearer/)
      expect(await sealed.transaction(read)).toEqual(whole())
    })

    it('are decrypted by another server with the same key, and one that knows it as an older one', async () => {
      await write(sealed)
      const boxes = [createSecretBox(KEY), createSecretBox(OTHER_KEY, [KEY])]
      for (const box of boxes) expect(await read(await world().another(box))).toEqual(whole())
    })

    it('are read as they are where they were stored in plain text, until they are written again', async () => {
      await write(world().store)
      expect(await stored()).toMatch(/the-/)
      expect(await read(sealed)).toEqual(whole())
      await sealed.pushConfigs.put(config)
      expect(JSON.stringify(await world().rows('SELECT config FROM push_configs'))).not.toMatch(
        /the-/,
      )
      expect(await read(sealed)).toEqual(whole())
    })

    it.each([
      ['another key', createSecretBox(OTHER_KEY)],
      ['no key', undefined],
    ])('are missing for a server with %s, which says so', async (_, box) => {
      await write(sealed)
      const other = await world().another(box)
      const { configs, delivery: found } = await read(other)
      const { url } = delivery
      expect(configs).toEqual([{ ...config, config: { url }, problem: UNREADABLE }])
      expect(found).toMatchObject({ headers: PLAIN_HEADERS, problem: UNREADABLE })
      expect(await other.webhookDeliveries.claim({ now: 1, again_at: 2 })).toEqual(
        expect.objectContaining({ headers: PLAIN_HEADERS, problem: UNREADABLE }),
      )
    })

    it('do not open in another row', async () => {
      await write(sealed)
      await sealed.pushConfigs.put({ ...config, config_id: 'two', config: { url: 'https://b' } })
      const copy = `UPDATE push_configs SET config =
        (SELECT config FROM push_configs WHERE config_id = 'one') WHERE config_id = 'two'`
      await world().rows(copy)
      const two = (await sealed.pushConfigs.list(config.task_id)).at(-1)
      expect(two).toMatchObject({ config_id: 'two', problem: UNREADABLE })
      expect(two?.config).toEqual({ url: delivery.url })
    })

    it('that were unreadable before stay so in a delivery', async () => {
      await sealed.webhookDeliveries.insert({ ...delivery, problem: 'They are lost.' })
      expect((await read(sealed)).delivery).toMatchObject({
        headers: {},
        problem: 'They are lost.',
      })
      expect(await stored()).not.toMatch(/the-|Bearer/)
    })
  })
}
