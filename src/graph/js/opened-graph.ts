/** A compiled graph of LangGraph for JavaScript behind the port. */
import type { Drawing, GraphNames, GraphSchemaSet } from '../../core/agent/host/description.ts'
import type { OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { GraphRun, GraphRunRequest, RunCalls } from '../../core/agent/host/run.ts'
import type {
  StateOptions,
  StatePlace,
  StateQuery,
  StateUpdate,
  Superstep,
} from '../../core/agent/host/states.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { withPlainNumbers } from '../../core/exact-json.ts'
import { forgettingAnswers } from './checkpoints/answers.ts'
import { CHECKPOINTS_KEY } from './checkpoints/config.ts'
import { toPlace, toThreadState } from './langgraph/state.ts'
import { JsRun, type RunParts } from './run/run.ts'
import { describeGraph, drawGraph } from './schemas/description.ts'
import { namesOnly } from './schemas/runtime.ts'
import type { StaticSchemas } from './schemas/static.ts'

interface OpenedParts extends RunParts {
  schemas: StaticSchemas
}

export class OpenedGraph implements OpenGraph {
  readonly #parts: OpenedParts

  constructor(parts: OpenedParts) {
    this.#parts = parts
  }

  async run(request: GraphRunRequest, calls: RunCalls, signal: AbortSignal): Promise<GraphRun> {
    return new JsRun(this.#parts, withPlainNumbers(request), calls, signal)
  }

  async getState(
    place: StatePlace,
    { subgraphs, checkpoints }: StateOptions = { subgraphs: false },
  ): Promise<ThreadState> {
    const { graph } = this.#parts
    const config = configAt({ ...place, ...(checkpoints && { [CHECKPOINTS_KEY]: checkpoints }) })
    return toThreadState(await forgettingAnswers(() => graph.getState(config, { subgraphs })))
  }

  async *listStates(place: StatePlace, query: StateQuery): AsyncGenerator<ThreadState> {
    const options = historyOptions(place.thread_id, query)
    const snapshots = this.#parts.graph.getStateHistory(configAt(place), options)
    for await (const snapshot of snapshots) yield toThreadState(snapshot)
  }

  async updateState(place: StatePlace, supersteps: Superstep[]): Promise<StatePlace> {
    const steps = withPlainNumbers(supersteps).map(({ updates }) => ({
      updates: updates.map((update) => this.#toUpdate(update)),
    }))
    const { graph } = this.#parts
    const config = await forgettingAnswers(() => graph.bulkUpdateState(configAt(place), steps))
    return toPlace(config, place.thread_id)
  }

  async names(): Promise<GraphNames> {
    const { graph } = this.#parts
    const { input_schema } = namesOnly(graph)
    return {
      nodes: Object.keys(graph.nodes),
      ...(graph.channels && { channels: Object.keys(graph.channels) }),
      values: [graph.streamChannelsAsIs].flat(),
      ...(input_schema && { input: Object.keys(input_schema.properties ?? {}) }),
    }
  }

  async schemas(): Promise<GraphSchemaSet> {
    const { graph, source, schemas } = this.#parts
    return describeGraph(source, graph, schemas)
  }

  draw(xray: boolean | number): Promise<Drawing> {
    return drawGraph(this.#parts.graph, this.#parts.config, xray)
  }

  #toUpdate({ values, command, as_node }: StateUpdate) {
    return {
      values: command ? this.#parts.project.command(command) : (values ?? null),
      ...(as_node !== undefined && { asNode: as_node }),
    }
  }
}

function configAt(place: StatePlace): object {
  return { configurable: { checkpoint_ns: '', ...place } }
}

function historyOptions(thread_id: string, { limit, before, metadata }: StateQuery): object {
  return {
    limit,
    ...(before !== undefined && {
      before: { configurable: { thread_id, checkpoint_id: before } },
    }),
    ...(metadata && { filter: metadata }),
  }
}
