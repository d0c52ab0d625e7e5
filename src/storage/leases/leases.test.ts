import { beforeEach, expect, test } from 'vitest'
import { claimRun } from '../../../test/support/agent/claim-run.ts'
import { RunWorld } from '../../../test/support/agent/run-world.ts'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { forEachTest } from '../../../test/support/running.ts'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Lease } from '../../core/agent/run.ts'

let store: AgentStore
let other: AgentStore

const world = forEachTest(() => RunWorld.open(freshPostgres))
beforeEach(async () => {
  store = world.store
  other = await world.otherProcess()
})

async function claim(server_id: string): Promise<Lease> {
  const now = Date.now()
  const claimed = await claimRun(store, { server_id, now, lease_expires_at: now + 15_000 })
  return claimed?.lease ?? expect.fail('nothing was claimed')
}

test('a server that falls silent under a lock holds others up for seconds, and then writes nothing', async () => {
  const { run_id } = await world.addRun()
  const lease = await claim('silent')
  const next = await world.addRun()
  const release = { now: Date.now(), dead_servers: ['silent'] }
  let tries = 0
  const silent = store.transaction(async (tx) => {
    tries += 1
    const isHeld = await tx.runs.holds(lease)
    if (tries === 1) await othersGoOn()
    if (isHeld) await tx.runs.requestCancel(run_id, 'rollback', 'written by the silent one')
    return isHeld
  }, [])

  async function othersGoOn(): Promise<void> {
    // These skip the row.
    expect(await other.runs.release(release)).toEqual({ released: [], exhausted: [] })
    const claimed = await claimRun(other, {
      ...release,
      server_id: 'other',
      lease_expires_at: 9e12,
    })
    expect(claimed?.run.run_id).toBe(next.run_id)
    // This one waits for the row.
    expect(await other.runs.requestCancel(run_id, 'interrupt', 'asked meanwhile')).toBe(true)
    expect((await other.runs.release(release)).released).toEqual([run_id])
  }

  expect(await silent).toBe(false)
  expect(tries).toBe(2)
  expect(await store.runs.get(run_id)).toMatchObject({
    status: 'pending',
    cancel_action: 'interrupt',
    cancel_reason: 'asked meanwhile',
  })
}, 60_000)
