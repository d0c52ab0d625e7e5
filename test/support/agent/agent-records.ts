/** Records as the agent server's stores take them, valid as they are; a test changes what it is about. */
import { randomUUID } from 'node:crypto'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import type { Assistant } from '../../../src/core/agent/assistant.ts'
import type { StoredCheckpoint, TypedBytes } from '../../../src/core/agent/checkpoint.ts'
import type { NewRun } from '../../../src/core/agent/run.ts'
import type { NewThread, ThreadState } from '../../../src/core/agent/thread.ts'
import type { CredentialBox } from '../../../src/core/secret-box.ts'

export const CREATED_AT = '2026-11-20T12:00:00.000Z'
export const LATER = '2026-11-20T13:00:00.000Z'

/** What a suite works on: one database, and other connections to it as other processes have them. */
export interface AgentStoreWorld {
  store: AgentStore
  /** `box`: encrypts its credentials. Default: none. `maxAttempts`: of a run; default `MAX_RUN_ATTEMPTS`. */
  another(box?: CredentialBox, maxAttempts?: number): Promise<AgentStore>
  /** Rows as they stand in the database. */
  rows(sql: string): Promise<object[]>
}

export function aThread(change: Partial<NewThread> = {}): NewThread {
  return { thread_id: randomUUID(), created_at: CREATED_AT, metadata: {}, config: {}, ...change }
}

export function aRun(change: Partial<NewRun> = {}): NewRun {
  return {
    run_id: randomUUID(),
    thread_id: randomUUID(),
    assistant_id: randomUUID(),
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    status: 'pending',
    metadata: {},
    kwargs: { config: {}, stream_mode: ['values'], stream_subgraphs: false },
    multitask_strategy: 'enqueue',
    available_at: 0,
    ...change,
  }
}

export function anAssistant(change: Partial<Assistant> = {}): Assistant {
  return {
    assistant_id: randomUUID(),
    graph_id: 'agent',
    config: { configurable: { model: 'x' } },
    context: null,
    metadata: { created_by: 'system' },
    name: 'agent',
    description: null,
    version: 1,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...change,
  }
}

export function aState(change: Partial<ThreadState> = {}): ThreadState {
  return {
    values: { messages: [] },
    next: [],
    tasks: [],
    checkpoint: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c' },
    metadata: { step: 1 },
    created_at: CREATED_AT,
    parent_checkpoint: null,
    interrupts: [],
    ...change,
  }
}

export function bytesOf(text: string): TypedBytes {
  return { type: 'json', bytes: new TextEncoder().encode(text) }
}

export function aCheckpoint(change: Partial<StoredCheckpoint> = {}): StoredCheckpoint {
  return {
    thread_id: 't',
    checkpoint_ns: '',
    checkpoint_id: 'c1',
    parent_checkpoint_id: null,
    run_id: null,
    checkpoint: bytesOf('{}'),
    metadata: {},
    ...change,
  }
}
