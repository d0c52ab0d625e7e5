import { expect, test } from 'vitest'
import { aCheckpoint } from '../../../test/support/agent/agent-records.ts'
import { claimRun } from '../../../test/support/agent/claim-run.ts'
import { RunWorld } from '../../../test/support/agent/run-world.ts'
import { forEachTest } from '../../../test/support/running.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { EventLog } from '../../stream/event-log.ts'
import { settledCheckpoints } from './thread-checkpoints.ts'

const world = forEachTest(() => RunWorld.open())

test('what a run has put is written before others look for it', async () => {
  const { store } = world
  const isLocal = () => true
  const events = new EventLog({ store, isLocal, clock: systemClock, log: silentLog })
  const checkpoints = settledCheckpoints(store.checkpoints, events)
  await world.addRun()
  const claimed = await claimRun(store, {
    ...{ server_id: 'this', now: Date.now() },
    lease_expires_at: Date.now() + 60_000,
  })
  const { run, lease } = claimed ?? expect.fail('there was a run to claim')
  const { run_id, thread_id } = run
  const log = events.openRun({ thread_id, run_id, lease })
  const put = (checkpoint_id: string) => {
    const checkpoint = aCheckpoint({ thread_id, checkpoint_ns: '', checkpoint_id, run_id })
    log.put({ checkpoint, versions: {}, values: [] })
  }
  put('c1')
  expect(await store.checkpoints.latestId(thread_id)).toBeUndefined()
  const at = { thread_id, checkpoint_ns: '' }
  expect(await checkpoints.get(at)).toMatchObject({ checkpoint_id: 'c1' })
  put('c2')
  const listed = await checkpoints.list({ thread_id })
  expect(listed.map(({ checkpoint_id }) => checkpoint_id)).toEqual(['c2', 'c1'])
  put('c3')
  await checkpoints.deleteThread(thread_id)
  expect(await store.checkpoints.latestId(thread_id)).toBeUndefined()
})
