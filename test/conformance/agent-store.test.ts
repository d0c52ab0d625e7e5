/** Every implementation of the agent server's store, through the same suites. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import type { CredentialBox } from '../../src/core/secret-box.ts'
import { DEFAULT_SCHEMA, openAgentStore } from '../../src/storage/agent/store.ts'
import { openDb } from '../../src/storage/open-db.ts'
import { type AgentStoreWorld, aRun, aThread, LATER } from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testAssistantStore } from './assistant-store.ts'
import { testCheckpointStore } from './checkpoint-store.ts'
import { testCredentials } from './credentials.ts'
import { testCronStore } from './cron-store.ts'
import { testEventStore } from './event-store.ts'
import { testIdempotencyKeyStore } from './idempotency-key-store.ts'
import { testItemStore } from './item-store.ts'
import { testPushConfigStore } from './push-config-store.ts'
import { testRunOrder } from './run-order.ts'
import { testRunStore } from './run-store.ts'
import { testServerStore } from './server-store.ts'
import { testThreadStore } from './thread-store.ts'
import { testTimelineStore } from './timeline-store.ts'
import { testWebhookDeliveryStore } from './webhook-delivery-store.ts'
import { expectWriteCheck } from './write-check.ts'

/** Each finds a place for a fresh database; a folder is there for it. */
const IMPLEMENTATIONS = {
  SQLite: async (folder: string) => join(folder, 'agent.db'),
  PostgreSQL: freshPostgres,
}

describe.each(Object.entries(IMPLEMENTATIONS))('the agent server’s store on %s', (_name, find) => {
  let folder: string
  let place: string
  let store: AgentStore
  const opened: AgentStore[] = []

  async function another(box?: CredentialBox, maxAttempts?: number): Promise<AgentStore> {
    const one = await openAgentStore(place, { box, maxAttempts })
    opened.push(one)
    return one
  }

  beforeEach(async () => {
    folder = temporaryFolder()
    place = await find(folder)
    store = await another()
  })

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })

  async function rows(sql: string): Promise<object[]> {
    const db = await openDb(place, DEFAULT_SCHEMA)
    return db.all(sql).finally(() => db.close())
  }

  const world = (): AgentStoreWorld => ({ store, another, rows })
  testAssistantStore(world)
  testServerStore(world)
  testThreadStore(world)
  testRunStore(world)
  testRunOrder(world)
  testTimelineStore(world)
  testIdempotencyKeyStore(world)
  testWebhookDeliveryStore(world)
  testPushConfigStore(world)
  testCredentials(world)
  testEventStore(world)
  testCheckpointStore(world)
  testItemStore(world)
  testCronStore(world)

  describe('a transaction', () => {
    const thread = aThread()
    const run = aRun({ thread_id: thread.thread_id })

    it('writes all of it, and answers what the work answered', async () => {
      const stored = await store.transaction(async (tx) => {
        await tx.threads.insert(thread)
        return tx.runs.insert(run)
      })
      expect(await store.runs.get(run.run_id)).toMatchObject(stored)
    })

    it('writes nothing when the work throws', async () => {
      const { thread_id } = thread
      const work = store.transaction(async (tx) => {
        await tx.threads.insert(thread)
        await tx.runs.insert(run)
        const to = { thread_id, run_id: run.run_id, created_at: 1 }
        await tx.events.append(to, [{ event: 'e', data: '1' }])
        throw new Error('changed my mind')
      })
      await expect(work).rejects.toThrow('changed my mind')
      expect(await store.threads.get(thread_id)).toBeUndefined()
      expect(await store.runs.get(run.run_id)).toBeUndefined()
      expect(await store.events.read(run.run_id, -1, 10)).toEqual([])
    })

    it('ends a run with its thread and its log, or none of them', async () => {
      await store.threads.insert(thread)
      await store.runs.insert(run)
      const claimed = await claimRun(store, { server_id: 's', now: 1, lease_expires_at: 2 })
      const lease = claimed?.lease ?? expect.fail('nothing claimed')
      await (await another()).runs.release({ now: 0, dead_servers: ['s'] })
      const work = store.transaction(async (tx) => {
        await tx.threads.update(thread.thread_id, { updated_at: LATER, status: 'error' })
        const end = { status: 'error', error: null, updated_at: LATER } as const
        if (!(await tx.runs.finish(lease, end))) throw new Error('lost')
      })
      await expect(work).rejects.toThrow('lost')
      expect(await store.threads.get(thread.thread_id)).toMatchObject({ status: 'idle' })
    })

    it('is seen by other connections only when it is through', async () => {
      const other = await another()
      await store.transaction(async (tx) => {
        await tx.threads.insert(thread)
        expect(await other.threads.get(thread.thread_id)).toBeUndefined()
      })
      expect(await other.threads.get(thread.thread_id)).toBeDefined()
    })

    it('is not nested, not closed, and not used after its end', async () => {
      const refusal = { code: 'internal' }
      const [escaped] = await store.transaction(async (tx) => {
        await expect(tx.transaction(async () => {})).rejects.toMatchObject(refusal)
        await expect(tx.close()).rejects.toMatchObject(refusal)
        return [tx]
      })
      await expect(escaped?.ping()).rejects.toMatchObject(refusal)
    })
  })

  it('keeps everything over a restart', async () => {
    const thread = aThread({ metadata: { kept: true } })
    await store.threads.insert(thread)
    await store.close()
    const again = await another()
    expect(await again.threads.get(thread.thread_id)).toMatchObject({ metadata: { kept: true } })
  })

  it('knows how much room it takes', async () => {
    expect(await store.sizeBytes()).toBeGreaterThan(1_000)
  })

  it('takes a write to show that it does, and none once it is closed', async () => {
    await expectWriteCheck(store)
  })

  it('answers a ping while it is open, and closes twice without harm', async () => {
    await expect(store.ping()).resolves.toBeUndefined()
    await store.close()
    await store.close()
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' })
  })
})
