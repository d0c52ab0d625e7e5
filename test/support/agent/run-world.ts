/** A fresh agent server database in a temporary folder, with threads and runs to work on. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import type { AddedClaim, NewRun, QueuedRun } from '../../../src/core/agent/run.ts'
import { systemClock, timestamp } from '../../../src/core/clock.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'

const ASSISTANT_ID = randomUUID()

export class RunWorld {
  readonly path: string
  readonly store: AgentStore
  readonly #folder: string
  readonly #others: AgentStore[] = []

  private constructor(folder: string, path: string, store: AgentStore) {
    this.#folder = folder
    this.path = path
    this.store = store
  }

  /** `findPlace`: where the database is, a file in the folder by default. */
  static async open(
    findPlace: (folder: string) => Promise<string> = async (folder) => join(folder, 'agent.db'),
  ): Promise<RunWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-runs-'))
    const path = await findPlace(folder)
    return new RunWorld(folder, path, await openWithAssistant(path))
  }

  /** A second connection, as another process has it. Closed with the world. */
  async otherProcess(): Promise<AgentStore> {
    const store = await openAgentStore(this.path)
    this.#others.push(store)
    return store
  }

  async addThread(): Promise<string> {
    const thread_id = randomUUID()
    const created_at = timestamp(systemClock)
    await this.store.threads.insert({ thread_id, created_at, metadata: {}, config: {} })
    return thread_id
  }

  /** A run that is due now, on the thread or on one of its own: pending, or added with the claim. */
  async addRun(
    thread_id?: string,
    fields: Partial<NewRun> = {},
    claim?: AddedClaim,
  ): Promise<QueuedRun> {
    const now = timestamp(systemClock)
    const run: NewRun = {
      run_id: randomUUID(),
      thread_id: thread_id ?? (await this.addThread()),
      assistant_id: ASSISTANT_ID,
      created_at: now,
      updated_at: now,
      status: 'pending',
      metadata: {},
      kwargs: { config: {}, stream_mode: ['values'], stream_subgraphs: false },
      multitask_strategy: 'enqueue',
      available_at: systemClock.now(),
      ...fields,
    }
    return this.store.runs.insert(run, claim)
  }

  async close(): Promise<void> {
    for (const store of [this.store, ...this.#others]) await store.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

async function openWithAssistant(path: string): Promise<AgentStore> {
  const store = await openAgentStore(path)
  const now = timestamp(systemClock)
  await store.assistants.insert({
    assistant_id: ASSISTANT_ID,
    graph_id: 'agent',
    config: {},
    context: {},
    metadata: {},
    name: 'agent',
    description: null,
    version: 1,
    created_at: now,
    updated_at: now,
  })
  return store
}
