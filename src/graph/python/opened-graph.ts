/** A graph in Python, opened in one process of the host. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { Drawing, GraphNames, GraphSchemaSet } from '../../core/agent/host/description.ts'
import type { GraphConfig, OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { GraphRun, GraphRunRequest, RunCalls } from '../../core/agent/host/run.ts'
import type {
  StateOptions,
  StatePlace,
  StateQuery,
  Superstep,
} from '../../core/agent/host/states.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { HostLost } from '../../core/errors.ts'
import { currentOrigin } from '../../core/origin.ts'
import type { Bindings } from './callbacks.ts'
import type { OutgoingCall, Peer } from './peer.ts'
import { PythonRun } from './run.ts'

/** Where a graph is open. */
export interface Opened {
  peer: Peer
  /** How the host finds it: the result of `open`, or a graph that needs no `open`. */
  graph: { graph: number } | Pick<OpenRequest, 'graph_id' | 'config'>
}

interface OpenedParts {
  opened: Opened
  /** Opens it in another process, if that one has ended. */
  reopen: () => Promise<Opened>
  bindings: Bindings
}

export interface OpenRequest {
  graph_id: string
  config: GraphConfig
  checkpoints?: GraphCheckpoints
}

export class OpenedGraph implements OpenGraph {
  readonly #parts: OpenedParts
  #opened: Opened

  constructor(parts: OpenedParts) {
    this.#parts = parts
    this.#opened = parts.opened
  }

  async run(request: GraphRunRequest, calls: RunCalls, signal: AbortSignal): Promise<GraphRun> {
    const { bindings } = this.#parts
    const { peer } = this.#opened
    const { checkpoints, onSpans } = calls
    const run = bindings.add({ checkpoints, onSpans, taken: () => call.items.taken() })
    const call = this.#begin(run, request).abortOn(signal)
    // The host keeps the graph as long as this object is referenced: the run references it.
    void call.answer.catch(() => {}).finally(() => bindings.remove(run))
    const { done, value } = await call.items.next()
    if (done) await call.answer
    // The run has begun, and goes on when the host is no longer blocked.
    call.isPatient = true
    const told = value as { transforms: boolean; drains: boolean }
    return new PythonRun({ peer, run, call, signal, ...told })
  }

  async names(): Promise<GraphNames> {
    return (await this.#read('graph.names', {})) as GraphNames
  }

  async schemas(): Promise<GraphSchemaSet> {
    return (await this.#read('graph.schemas', {})) as GraphSchemaSet
  }

  async draw(xray: boolean | number): Promise<Drawing> {
    return (await this.#read('graph.draw', { xray })) as Drawing
  }

  async getState(
    place: StatePlace,
    { subgraphs, checkpoints }: StateOptions = { subgraphs: false },
  ): Promise<ThreadState> {
    const { bindings } = this.#parts
    const of = checkpoints && bindings.add({ checkpoints })
    try {
      const params = { place, options: { subgraphs }, checkpoints: of }
      return (await this.#read('graph.get_state', params)) as ThreadState
    } finally {
      if (of !== undefined) bindings.remove(of)
    }
  }

  async *listStates(place: StatePlace, query: StateQuery): AsyncGenerator<ThreadState> {
    let hasBegun = false
    const list = async function* ({ peer, graph }: Opened) {
      const call = peer.begin('graph.list_states', { ...graph, place, query })
      for await (const state of call.items) {
        hasBegun = true
        yield state as ThreadState
      }
    }
    try {
      yield* list(this.#opened)
    } catch (error) {
      if (!(error instanceof HostLost) || hasBegun) throw error
      this.#opened = await this.#parts.reopen()
      yield* list(this.#opened)
    }
  }

  /** Not tried again: the update may be partly done. */
  async updateState(place: StatePlace, supersteps: Superstep[]): Promise<StatePlace> {
    const { peer, graph } = this.#opened
    return (await peer.call('graph.update_state', { ...graph, place, supersteps })) as StatePlace
  }

  #begin(run: number, request: GraphRunRequest): OutgoingCall {
    const { peer, graph } = this.#opened
    try {
      const { traceparent } = currentOrigin()
      const params = { ...graph, run, request, checkpoints: run, traceparent }
      // A factory was called for this run: a retry would call it again.
      return peer.begin('graph.run', params, { isPatient: 'graph' in graph })
    } catch (error) {
      this.#parts.bindings.remove(run)
      throw error
    }
  }

  /** Tries a read again if the process ends meanwhile. */
  async #read(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { peer, graph } = this.#opened
    try {
      return await peer.call(method, { ...graph, ...params })
    } catch (error) {
      if (!(error instanceof HostLost)) throw error
      this.#opened = await this.#parts.reopen()
      return this.#opened.peer.call(method, { ...this.#opened.graph, ...params })
    }
  }
}
