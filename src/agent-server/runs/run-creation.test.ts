import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { RunWorld } from '../../../test/support/agent/run-world.ts'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { lockOf } from '../../core/agent/agent-store.ts'
import type { RunKwargs } from '../../core/agent/run.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { systemClock, timestamp } from '../../core/clock.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { type Admission, admitRun } from './run-creation.ts'

let world: RunWorld
afterEach(() => world.close())

const databases = [
  ['SQLite', undefined],
  ['PostgreSQL', () => freshPostgres()],
] as const

/** A run on a thread that is there. */
async function admission(kwargs: Partial<RunKwargs>): Promise<Admission> {
  const page = { limit: 1, offset: 0, sort_by: 'created_at', sort_order: 'asc' } as const
  const [assistant] = await world.store.assistants.search({}, page)
  if (!assistant) throw new Error('There is no assistant.')
  return {
    thread_id: await world.addThread(),
    request: {
      assistant_id: assistant.assistant_id,
      metadata: {},
      multitask_strategy: 'enqueue',
      if_not_exists: 'reject',
      ...{ config: {}, stream_mode: ['values'], stream_subgraphs: false, ...kwargs },
    },
    run_id: randomUUID(),
    caller: { identity: undefined, permissions: [], headers: {} },
    assistant,
    filter: undefined,
    newThread: undefined,
    contextKeys: undefined,
    limits: DEFAULT_LIMITS,
    now: systemClock.now(),
  }
}

async function admit(asked: Admission, { isClaimed }: { isClaimed: boolean }) {
  const { now } = asked
  const claim = { server_id: 'here', now, lease_expires_at: now + 1_000 }
  return world.store.transaction(
    (tx) => admitRun(tx, asked, isClaimed ? claim : undefined),
    [lockOf('thread', String(asked.thread_id))],
  )
}

test.each(databases)(
  'what speaks against a run on its thread is asked where it is added, on %s',
  async (_, place) => {
    world = await RunWorld.open(place)
    const refused = await admission({})
    const statuses: string[] = []
    const check = ({ status }: Thread) => {
      statuses.push(status)
      if (status === 'idle') throw new Error('Nobody asks for it.')
    }
    await expect(admit({ ...refused, check }, { isClaimed: true })).rejects.toThrow('Nobody asks')
    const { thread_id } = refused
    expect(await world.store.runs.latest(String(thread_id))).toBeUndefined()
    await world.store.threads.update(String(thread_id), {
      status: 'interrupted',
      updated_at: timestamp(systemClock),
    })
    await admit({ ...refused, check }, { isClaimed: true })
    expect(statuses).toEqual(['idle', 'interrupted'])
  },
)
