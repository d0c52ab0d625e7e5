import { afterEach, beforeEach, expect, test } from 'vitest'
import { RunWorld } from '../../../test/support/agent/run-world.ts'
import { lockOf } from '../../core/agent/agent-store.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { readWebhookConfig } from '../../project/sections.ts'
import { Queue } from '../../queue/queue.ts'
import { EventLog } from '../../stream/event-log.ts'
import { Webhooks } from '../../webhook/webhooks.ts'
import { announceCancelled, cancelLeft, cancelRuns } from './cancel.ts'

/** Never, as far as a test goes, in ms. */
const NEVER_MS = 1e9
const host = 'this one'

let world: RunWorld
let queue: Queue

beforeEach(async () => {
  world = await RunWorld.open()
  const server = { server_id: 'here', host, pid: process.pid, graphs: ['own'] }
  const [store, clock, log] = [world.store, systemClock, silentLog]
  queue = new Queue({ store, server, concurrency: 4, pollMs: NEVER_MS, clock, log })
})
afterEach(async () => {
  await queue.stop({ graceMs: 0 })
  await world.close()
})

test('a run that waited for another server no longer holds back those behind it', async () => {
  const { store } = world
  const now = systemClock.now()
  const other = { server_id: 'there', host: 'another', pid: 1, graphs: ['own', 'foreign'] }
  await store.servers.register({ ...other, started_at: new Date(now).toISOString(), seen_at: now })
  const thread_id = await world.addThread()
  const first = await world.addRun(thread_id, { metadata: { graph_id: 'foreign' } })
  const second = await world.addRun(thread_id, { metadata: { graph_id: 'own' } })
  const probe = await world.addRun(undefined, { metadata: { graph_id: 'own' } })
  const begun = new Map([probe, second].map(({ run_id }) => [run_id, Promise.withResolvers()]))
  const execute = async ({ run_id }: { run_id: string }, _: unknown, signal: AbortSignal) => {
    begun.get(run_id)?.resolve(run_id)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { isEnded: false, isNextWaiting: true }
  }
  await queue.start({ execute, onExhausted: async () => {} })
  await begun.get(probe.run_id)?.promise
  expect(queue.isRunning(second.run_id)).toBe(false)

  const how = { action: 'interrupt', reason: 'test' } as const
  const cancelled = await store.transaction(
    (tx) => cancelRuns(tx, [first], how, now),
    [lockOf('thread', thread_id)],
  )
  announceCancelled(openParts(), cancelled)
  expect(await begun.get(second.run_id)?.promise).toBe(second.run_id)
})

test('the run of a client that left is cancelled, unless its server was stopping', async () => {
  const caller = { identity: undefined, permissions: [], headers: {} }
  const parts = openParts()
  const [left, lost] = [await world.addRun(), await world.addRun()]
  await cancelLeft(parts, caller, left)
  await parts.events.stop()
  await cancelLeft(parts, caller, lost)
  const statusOf = async ({ run_id }: { run_id: string }) =>
    (await world.store.runs.get(run_id))?.status
  expect([await statusOf(left), await statusOf(lost)]).toEqual(['interrupted', 'pending'])
})

function openParts() {
  const { store } = world
  const parts = { store, clock: systemClock, log: silentLog }
  const webhooks = new Webhooks({
    config: readWebhookConfig(undefined),
    settings: {},
    isDisabled: true,
    deliveries: store.webhookDeliveries,
    onAttempt: (_, attempt) => attempt(),
    ...parts,
  })
  const events = new EventLog({ isLocal: () => false, ...parts })
  return { ...parts, queue, events, webhooks, authorize: async () => undefined }
}
