/** Claiming a run behind a long line, at the store: what a server does for each run. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import { claimRun } from '../../test/support/claim-run.ts'
import type { Row } from '../row.ts'
import { temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'

const NOW = new Date().toISOString()
const ASSISTANT_ID = randomUUID()

/** All of the queued runs wait for one that runs, and stand in front of the one that is claimed. */
export const claimRow: Row = sizedRow({
  name: 'claim',
  title: 'claim of the run behind a busy thread’s line, and handing it back',
  unit: 'queued runs',
  large: 1_000,
  small: 10,
  times: 200,
  open: openLine,
})

async function openLine(size: number): Promise<Sized> {
  const data = await temporaryFolder()
  const store = await openAgentStore(join(data.path, 'agent.db'))
  await addAssistant(store)
  const busy = await addThread(store)
  await store.transaction(async (tx) => {
    for (let i = 0; i <= size; i++) await addRun(tx, busy)
  })
  if (!(await claim(store))) throw new Error('The first run could not be claimed.')
  await addRun(store, await addThread(store))
  return {
    async work() {
      const claimed = await claim(store)
      if (!claimed) throw new Error('There was nothing to claim.')
      await store.runs.giveBack(claimed.lease)
    },
    async close() {
      await store.close()
      await data.remove()
    },
  }
}

function claim(store: AgentStore) {
  const now = Date.now()
  return claimRun(store, { server_id: 'bench', now, lease_expires_at: now + 3_600_000 })
}

async function addAssistant(store: AgentStore): Promise<void> {
  await store.assistants.insert({
    assistant_id: ASSISTANT_ID,
    graph_id: 'echo',
    config: {},
    context: null,
    metadata: {},
    name: 'echo',
    description: null,
    version: 1,
    created_at: NOW,
    updated_at: NOW,
  })
}

async function addThread(store: AgentStore): Promise<string> {
  const thread_id = randomUUID()
  await store.threads.insert({ thread_id, created_at: NOW, metadata: {}, config: {} })
  return thread_id
}

async function addRun(store: AgentStore, thread_id: string): Promise<void> {
  await store.runs.insert({
    run_id: randomUUID(),
    thread_id,
    assistant_id: ASSISTANT_ID,
    created_at: NOW,
    updated_at: NOW,
    status: 'pending',
    metadata: {},
    kwargs: { config: {}, stream_mode: ['values'], stream_subgraphs: false },
    multitask_strategy: 'enqueue',
    available_at: 0,
  })
}
