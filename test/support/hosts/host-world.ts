/** A graph host on a real store, without an agent server around it. */
import { randomUUID } from 'node:crypto'
import type { GraphCheckpoints } from '../../../src/core/agent/checkpoint.ts'
import type { HostCalls } from '../../../src/core/agent/host/calls.ts'
import type { Emission } from '../../../src/core/agent/host/emission.ts'
import type { GraphConfig, GraphHost, OpenGraph } from '../../../src/core/agent/host/graph-host.ts'
import type {
  GraphEnd,
  GraphRun,
  GraphRunRequest,
  RunCalls,
} from '../../../src/core/agent/host/run.ts'
import { RunWorld } from '../agent/run-world.ts'
import { hostCallsOn } from './host-calls.ts'

/** How a run is asked for, beyond what all of them have. */
export interface Asking extends Partial<GraphRunRequest> {
  /** Default: a thread of its own. */
  thread_id?: string
  config?: Partial<GraphConfig>
  /** What is called in place of the store's. */
  checkpoints?: Partial<GraphCheckpoints>
  signal?: AbortSignal
  onSpans?: RunCalls['onSpans']
}

export interface Told {
  emissions: Emission[]
  end: GraphEnd
}

export class HostWorld {
  readonly host: GraphHost
  readonly #runs: RunWorld
  readonly #disconnect: () => void

  private constructor(host: GraphHost, runs: RunWorld, calls: Partial<HostCalls>) {
    this.host = host
    this.#runs = runs
    this.#disconnect = host.connect(hostCallsOn(runs.store, calls))
  }

  static async open(host: GraphHost, calls: Partial<HostCalls> = {}): Promise<HostWorld> {
    return new HostWorld(host, await RunWorld.open(), calls)
  }

  get checkpoints(): GraphCheckpoints {
    return this.#runs.store.checkpoints
  }

  addThread(): Promise<string> {
    return this.#runs.addThread()
  }

  /** As for a state. */
  openGraph(graph_id: string, thread_id: string): Promise<OpenGraph> {
    return this.host.open(graph_id, { configurable: { thread_id } })
  }

  /** Begins a run; by default it tells `values`. */
  async begin(graph_id: string, asking: Asking = {}): Promise<GraphRun> {
    const { thread_id = await this.addThread(), config, checkpoints, ...rest } = asking
    const { onSpans = () => {}, signal, ...request } = rest
    const { run_id } = await this.#runs.addRun(thread_id)
    const configurable = { thread_id, run_id, ...config?.configurable }
    const graph = await this.host.open(graph_id, { ...config, configurable })
    const own = { ...bound(this.checkpoints), ...checkpoints }
    const asked = { run_id, input: {}, context: {}, modes: ['values'], subgraphs: false } as const
    const never = new AbortController().signal
    return graph.run({ ...asked, ...request }, { checkpoints: own, onSpans }, signal ?? never)
  }

  /** The whole of a run. */
  async play(graph_id: string, asking: Asking = {}): Promise<Told> {
    return takeAll(await this.begin(graph_id, asking))
  }

  async close(): Promise<void> {
    this.#disconnect()
    await this.#runs.close()
  }
}

export async function takeAll({ emissions, end }: GraphRun): Promise<Told> {
  const told: Emission[] = []
  for await (const batch of emissions) told.push(...batch)
  return { emissions: told, end: await end }
}

export async function toList<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of stream) all.push(one)
  return all
}

/** What was told in the mode. */
export function payloadsOf({ emissions }: Told, mode: Emission['mode']): unknown[] {
  return emissions.filter((one) => one.mode === mode).map(({ payload }) => payload)
}

/** Its methods, to be handed on without it. */
function bound(checkpoints: GraphCheckpoints): GraphCheckpoints {
  return {
    put: (...given) => checkpoints.put(...given),
    putWrites: (...given) => checkpoints.putWrites(...given),
    get: (...given) => checkpoints.get(...given),
    list: (...given) => checkpoints.list(...given),
    deleteThread: (...given) => checkpoints.deleteThread(...given),
  }
}

/** A message as clients send it. */
export function human(content: string): { id: string; type: string; content: string } {
  return { id: randomUUID(), type: 'human', content }
}
