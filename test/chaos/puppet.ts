/** A graph that does what the test says, when it says so, on the server's real checkpoints. */
import { once } from 'node:events'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { DEFAULT_HTTP, type ProjectSettings } from '../../src/core/agent/project-settings.ts'
import type { Lease } from '../../src/core/agent/run.ts'
import type { Graph } from '../../src/graph/js/langgraph/graph.ts'
import type { Project } from '../../src/graph/js/project.ts'
import { readStoreConfig } from '../../src/project/store.ts'
import { readTtlConfig } from '../../src/project/ttl.ts'
import { readWebhookConfig } from '../../src/project/webhooks.ts'

/** What a session is told: add to the thread's values, end, fail. */
export type Order = 'step' | 'finish' | 'fail'

/** How many steps a puppet still takes when it is told to stop, unless it is refused. */
const LATE_STEPS = 3

/** One execution of a run. */
export class Session {
  readonly thread_id: string
  readonly lease: Lease
  /** Steps that were begun, and those of them that are known to be written. */
  begun = 0
  written = 0
  isOver = false
  readonly #orders: Order[] = []
  #wake: () => void = () => {}

  constructor(thread_id: string, lease: Lease) {
    this.thread_id = thread_id
    this.lease = lease
  }

  get run_id(): string {
    return this.lease.run_id
  }

  tell(order: Order): void {
    this.#orders.push(order)
    this.#wake()
  }

  /** The next order; `undefined` once the signal has aborted. */
  async next(signal: AbortSignal): Promise<Order | undefined> {
    while (this.#orders.length === 0 && !signal.aborted) {
      const told = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([told, once(signal, 'abort')])
    }
    return signal.aborted ? undefined : this.#orders.shift()
  }
}

/** As of a project whose `langgraph.json` says nothing but its graphs. */
export const PUPPET_CONFIG: ProjectSettings = {
  ttl: readTtlConfig(undefined),
  webhooks: readWebhookConfig(undefined),
  store: readStoreConfig(undefined),
  http: DEFAULT_HTTP,
}

/** A project with the graph `puppet`; each of its executions is handed to `onSession`. */
export function puppetProject(
  store: AgentStore,
  onSession: (session: Session) => Promise<void>,
): Project {
  const graph: Graph = {
    nodes: {},
    streamChannelsAsIs: [],
    stream: async (_input, options) => perform(store, options as Options, onSession),
    streamEvents: () => refuse(),
    getState: async (config) => readState(store, (config as Options).configurable.thread_id),
    getStateHistory: () => refuse(),
    updateState: () => refuse(),
    bulkUpdateState: () => refuse(),
    getGraph: () => ({ nodes: [], edges: [] }),
  }
  const project = {
    graphs: new Map([
      ['puppet', { graph_id: 'puppet', description: null, spec: {}, open: async () => graph }],
    ]),
    command: () => null,
    connect: () => () => {},
  }
  return project as unknown as Project
}

/** The labels that the runs of a thread have left, one for each step. */
export async function readSteps(store: AgentStore, thread_id: string): Promise<string[]> {
  const record = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
  const bytes = record?.values[0]?.bytes
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as string[]) : []
}

interface Options {
  configurable: { thread_id: string; __runyard_lease: Lease }
  signal: AbortSignal
}

async function* perform(
  store: AgentStore,
  { configurable, signal }: Options,
  onSession: (session: Session) => Promise<void>,
): AsyncGenerator<unknown> {
  const session = new Session(configurable.thread_id, configurable.__runyard_lease)
  try {
    await onSession(session)
    for (;;) {
      const order = await session.next(signal)
      if (order === 'finish') return
      if (order === 'fail') throw new Error('told to fail')
      if (order === undefined) return await stepLate(store, session)
      yield ['values', { steps: await step(store, session) }]
    }
  } finally {
    session.isOver = true
  }
}

/** As code does that has not seen its signal yet: what the lease does not cover is refused. */
async function stepLate(store: AgentStore, session: Session): Promise<void> {
  for (let count = 0; count < LATE_STEPS; count += 1) await step(store, session)
}

let lastId = 0

async function step(store: AgentStore, session: Session): Promise<string[]> {
  const { thread_id, run_id, lease } = session
  const before = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
  const steps = [...(await readSteps(store, thread_id)), run_id]
  lastId += 1
  const checkpoint_id = String(lastId).padStart(12, '0')
  const checkpoint = {
    thread_id,
    checkpoint_ns: '',
    checkpoint_id,
    parent_checkpoint_id: before?.checkpoint_id ?? null,
    run_id,
    checkpoint: bytesOf({ id: checkpoint_id }),
    metadata: {},
  }
  const value = { channel: 'steps', version: checkpoint_id, ...bytesOf(steps) }
  session.begun += 1
  await store.checkpoints.put(checkpoint, { steps: checkpoint_id }, [value], lease)
  session.written += 1
  return steps
}

async function readState(store: AgentStore, thread_id: string) {
  const record = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
  const checkpoint_id = record?.checkpoint_id
  return {
    values: { steps: await readSteps(store, thread_id) },
    next: [],
    tasks: [],
    config: { configurable: { thread_id, checkpoint_ns: '', checkpoint_id } },
  }
}

function bytesOf(value: unknown) {
  return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(value)) }
}

function refuse(): never {
  throw new Error('A puppet is only run.')
}
