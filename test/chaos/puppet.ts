/** A graph that does what the test says, when it says so, on the server's real checkpoints. */
import { once } from 'node:events'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import type { GraphCheckpoints } from '../../src/core/agent/checkpoint.ts'
import type { Emission } from '../../src/core/agent/host/emission.ts'
import { failureOf } from '../../src/core/agent/host/failure.ts'
import type { GraphHost } from '../../src/core/agent/host/graph-host.ts'
import type { GraphEnd, GraphRun } from '../../src/core/agent/host/run.ts'
import { FIRST_TOKEN, type Lease, type RunStore } from '../../src/core/agent/run.ts'
import { DEFAULT_HTTP, type ProjectSettings } from '../../src/core/agent/server/project-settings.ts'
import { EMPTY_STATE, type ThreadState } from '../../src/core/agent/thread.ts'
import { readTtlConfig, readWebhookConfig } from '../../src/project/sections.ts'
import { readStoreConfig } from '../../src/project/store.ts'

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

/** The store, and with it which lease this server had last on a run. */
export function noteLeases(store: AgentStore): {
  store: AgentStore
  leaseOf: (run_id: string) => Lease
} {
  const leases = new Map<string, Lease>()
  const note = ({ runs }: AgentStore): Pick<RunStore, 'claim' | 'insert'> => ({
    async claim(...asked) {
      const claimed = await runs.claim(...asked)
      for (const { lease } of claimed) leases.set(lease.run_id, lease)
      return claimed
    },
    async insert(run, claim) {
      const { run_id } = run
      if (claim) leases.set(run_id, { run_id, server_id: claim.server_id, token: FIRST_TOKEN })
      return runs.insert(run, claim)
    },
  })
  const noted = (from: AgentStore): AgentStore => ({
    ...from,
    runs: Object.assign(Object.create(from.runs), note(from)),
  })
  const transaction: AgentStore['transaction'] = (work, ...how) =>
    store.transaction((tx) => work(noted(tx)), ...how)
  return {
    store: { ...noted(store), transaction },
    leaseOf: (run_id) => leases.get(run_id) as Lease,
  }
}

/** A host with the graph `puppet`; each of its executions is handed to `onSession`. */
export function createPuppetHost(
  store: AgentStore,
  leaseOf: (run_id: string) => Lease,
  onSession: (session: Session) => Promise<void>,
): GraphHost {
  const info = { graph_id: 'puppet', description: null, hasFactory: false, contextKeys: undefined }
  return {
    runtimes: [{ language: 'js', langgraphVersion: '0.0.0' }],
    graphs: new Map([['puppet', info]]),
    connect: () => () => {},
    open: async (_graph_id, { configurable }) => ({
      async run({ run_id }, { checkpoints }, signal) {
        const session = new Session(String(configurable.thread_id), leaseOf(run_id))
        return begin({ session, checkpoints, signal }, onSession)
      },
      getState: ({ thread_id }, options) =>
        readState(options?.checkpoints ?? store.checkpoints, thread_id),
      names: async () => ({ nodes: [], values: ['steps'] }),
      listStates: refuse,
      updateState: refuse,
      schemas: refuse,
      draw: refuse,
    }),
  }
}

/** The labels that the runs of a thread have left, one for each step. */
export async function readSteps(
  checkpoints: Pick<GraphCheckpoints, 'get'>,
  thread_id: string,
): Promise<string[]> {
  const record = await checkpoints.get({ thread_id, checkpoint_ns: '' })
  const bytes = record?.values[0]?.bytes
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as string[]) : []
}

interface Performance {
  session: Session
  checkpoints: GraphCheckpoints
  signal: AbortSignal
}

function begin(performance: Performance, onSession: (session: Session) => Promise<void>): GraphRun {
  const { promise: end, resolve } = Promise.withResolvers<GraphEnd>()
  async function* emissions(): AsyncGenerator<Emission[]> {
    try {
      yield* perform(performance, onSession)
      resolve({ kind: 'completed' })
    } catch (thrown) {
      resolve({ kind: 'failed', failure: failureOf(thrown) })
    }
  }
  return { emissions: emissions(), end }
}

async function* perform(
  performance: Performance,
  onSession: (session: Session) => Promise<void>,
): AsyncGenerator<Emission[]> {
  const { session, signal } = performance
  try {
    await onSession(session)
    for (;;) {
      const order = await session.next(signal)
      if (order === 'finish') return
      if (order === 'fail') throw new Error('told to fail')
      if (order === undefined) return await stepLate(performance)
      const payload = { steps: await step(performance) }
      yield [{ namespace: [], mode: 'values', payload }]
    }
  } finally {
    session.isOver = true
  }
}

/** As code does that has not seen its signal yet: what the lease does not cover is refused. */
async function stepLate(performance: Performance): Promise<void> {
  for (let count = 0; count < LATE_STEPS; count += 1) await step(performance)
}

let lastId = 0

async function step({ session, checkpoints }: Performance): Promise<string[]> {
  const { thread_id, run_id } = session
  const before = await checkpoints.get({ thread_id, checkpoint_ns: '' })
  const steps = [...(await readSteps(checkpoints, thread_id)), run_id]
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
  await checkpoints.put(checkpoint, { steps: checkpoint_id }, [value])
  session.written += 1
  return steps
}

async function readState(
  checkpoints: Pick<GraphCheckpoints, 'get'>,
  thread_id: string,
): Promise<ThreadState> {
  const record = await checkpoints.get({ thread_id, checkpoint_ns: '' })
  if (!record) return EMPTY_STATE
  const { checkpoint_id } = record
  return {
    ...EMPTY_STATE,
    values: { steps: await readSteps(checkpoints, thread_id) },
    checkpoint: { thread_id, checkpoint_ns: '', checkpoint_id, checkpoint_map: null },
  }
}

function bytesOf(value: unknown) {
  return { type: 'json', bytes: new TextEncoder().encode(JSON.stringify(value)) }
}

function refuse(): never {
  throw new Error('A puppet is only run.')
}
