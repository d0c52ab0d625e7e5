/** A run of a graph of LangGraph for JavaScript. */
import type { Emission } from '../../../core/agent/host/emission.ts'
import { failureOf } from '../../../core/agent/host/failure.ts'
import type {
  GraphEnd,
  GraphRun,
  GraphRunRequest,
  RunCalls,
  StreamTransform,
} from '../../../core/agent/host/run.ts'
import type { JsonObject } from '../../../core/json.ts'
import { currentPlace, type Place } from '../../../core/origin.ts'
import { CHECKPOINTS_KEY, FAILURES_KEY, TaskFailures } from '../checkpoints/config.ts'
import { isInvalidResume } from '../checkpoints/resume-answers.ts'
import type { Graph } from '../langgraph/graph.ts'
import { langSmithCallbacks } from '../langgraph/langsmith-tracer.ts'
import { hasOnlyFunctions, NodeWork, WORK_KEY, watchNodes } from '../patches/node-work.ts'
import type { Project } from '../project.ts'
import type { ProjectGraph } from '../project-graph.ts'
import { Bursts } from './bursts.ts'
import { callHandler } from './calls.ts'
import { Emissions } from './emissions.ts'
import {
  type GraphChunk,
  openStream,
  streamOptions,
  toChunk,
  withFailure,
  withNamedAnswer,
} from './source.ts'
import { RunSpans } from './spans.ts'
import { Transformers } from './transformers.ts'

// LangGraph's `RunControl`: before each step LangGraph asks it whether to stop. Older versions have none.

/** `runtime.control` of the run's nodes. They may ask for the stop, or see that it was asked for. */
class RunControl {
  #reason: string | undefined
  /** Whether the run's LangGraph asks it, which it does before the first step. */
  isAsked = false

  requestDrain(reason = 'shutdown'): void {
    this.#reason = reason
  }

  get drainRequested(): boolean {
    this.isAsked = true
    return this.#reason !== undefined
  }

  get drainReason(): string | undefined {
    return this.#reason
  }
}

/** What a run is made with. */
export interface RunParts {
  graph: Graph
  /** Where the graph comes from. */
  source: ProjectGraph
  /** The config that it was opened with, in LangGraph's words. */
  config: JsonObject
  project: Pick<Project, 'command'>
  isLangSmithUsed: boolean
  /** LangSmith's project of the environment. Default `default`. */
  langSmithProject?: string
  onNode: (place: Place) => void
}

export class JsRun implements GraphRun {
  readonly emissions: AsyncIterable<readonly Emission[]>
  readonly end: Promise<GraphEnd>
  readonly transform?: StreamTransform
  readonly #parts: RunParts
  readonly #request: GraphRunRequest
  readonly #work: NodeWork
  /** Reports nodes that are no functions, for the timeline. */
  readonly #seeing: object | undefined
  readonly #failures = new TaskFailures()
  readonly #control = new RunControl()
  readonly #bursts = new Bursts<Emission>()
  readonly #read: Emissions
  readonly #transformers: Transformers | undefined
  #end: (end: GraphEnd) => void = () => {}

  constructor(parts: RunParts, request: GraphRunRequest, calls: RunCalls, signal: AbortSignal) {
    this.#parts = parts
    this.#request = request
    const spans = new RunSpans((told) => calls.onSpans(told))
    const isSeen = hasOnlyFunctions(parts.graph)
    this.#seeing = isSeen ? undefined : spans.handlerOfAll()
    this.#work = new NodeWork(() => parts.onNode(this.#place()), isSeen ? spans : undefined)
    this.#read = new Emissions(request)
    watchNodes(parts.graph)
    const isTransformed = request.modes.includes('transformers')
    this.#transformers = isTransformed ? Transformers.of(parts.graph) : undefined
    if (this.#transformers) this.transform = this.#transformers
    this.end = new Promise((resolve) => {
      this.#end = resolve
    })
    this.emissions = this.#emit(calls, signal)
  }

  drain(): boolean {
    this.#control.requestDrain()
    return this.#control.isAsked
  }

  async *#emit(calls: RunCalls, signal: AbortSignal): AsyncGenerator<readonly Emission[]> {
    let end: GraphEnd = { kind: 'stopped' }
    try {
      try {
        const bursts = this.#bursts.of({
          stream: await this.#open(calls, signal),
          // After the signal nothing more is emitted.
          read: (item) => (signal.aborted ? undefined : this.#toEmissions(toChunk(item))),
          isAwaited: !this.#hasModelEnds,
        })
        for await (const burst of bursts) yield this.#read.complete(burst)
        const last = signal.aborted ? [] : this.#read.end()
        if (last.length > 0) yield last
        if (!signal.aborted) end = { kind: 'completed' }
      } catch (thrown) {
        if (!signal.aborted) end = this.#endBy(thrown)
      }
      if (signal.aborted) yield* this.#bursts.until(this.#work.ended())
    } finally {
      this.#end(end)
    }
  }

  #endBy(thrown: unknown): GraphEnd {
    if (thrown instanceof Error && thrown.name === 'GraphDrained') return { kind: 'drained' }
    const isAnswerRefused = this.#failures.hasRefusedAnswer || isInvalidResume(thrown)
    return { kind: 'failed', failure: { ...failureOf(thrown), isAnswerRefused } }
  }

  #toEmissions(chunk: GraphChunk): Emission[] {
    const told = withFailure(chunk, this.#failures)
    const batch = this.#read.read(told)
    if (this.#transformers) for (const one of batch) this.#transformers.note(one, told.payload)
    return batch
  }

  async #open(calls: RunCalls, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const { graph, config, project } = this.#parts
    const { input, command, modes } = this.#request
    const options = {
      ...config,
      ...streamOptions(this.#request, signal),
      control: this.#control,
      configurable: {
        ...(config.configurable as JsonObject),
        [WORK_KEY]: this.#work,
        [FAILURES_KEY]: this.#failures,
        [CHECKPOINTS_KEY]: calls.checkpoints,
      },
      ...(await this.#callbacks()),
    }
    const named = command && (await withNamedAnswer(graph, command, options))
    return openStream(graph, named ? project.command(named) : input, options, modes)
  }

  /** Runs that name a LangSmith project bring their own tracer; LangChain traces the others by itself. */
  async #callbacks(): Promise<{ callbacks?: unknown[] }> {
    const { config, source, isLangSmithUsed, langSmithProject = 'default' } = this.#parts
    const handlers = this.#hasModelEnds ? [this.#calls()] : []
    const tracers = isLangSmithUsed
      ? await langSmithCallbacks(
          source.spec.file,
          config.configurable as JsonObject,
          langSmithProject,
        )
      : []
    const callbacks = [...(this.#seeing ? [this.#seeing] : []), ...handlers, ...tracers]
    return callbacks.length > 0 ? { callbacks } : {}
  }

  /** The place of the function that is being called. */
  #place(): Place {
    const { thread_id } = this.#parts.config.configurable as JsonObject
    const { run_id } = this.#request
    return { run_id, thread_id: String(thread_id), node: currentPlace().node }
  }

  get #hasModelEnds(): boolean {
    return this.#request.modes.includes('model_ends')
  }

  #calls(): object {
    return callHandler({
      onEnd: (payload) =>
        this.#bursts.add(this.#toEmissions({ namespace: [], mode: 'model_ends', payload })),
      onWhole: (message) => this.#read.onWhole(message),
      onTool: (call, metadata) => this.#read.onTool(call, metadata),
    })
  }
}
