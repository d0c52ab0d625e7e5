/**
 * Executes claimed runs: opens the graph, iterates it, logs what it emits, writes how it ended.
 *
 * A run whose earlier attempt has written a checkpoint is continued from there, so that what it has
 * done is not done again. When the server stops or the lease is lost nothing more is written.
 */

import type { NewEvent } from '../../core/agent/event.ts'
import type { Lease, QueuedRun, StopOutcome } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { AppError, DatabaseAway } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { currentOrigin, currentPlace, withOrigin } from '../../core/origin.ts'
import type { Span } from '../../core/tracing.ts'
import { FAILURES_KEY, ORDER_KEY, type TaskFailures } from '../../graph/js/checkpoints/config.ts'
import type { Graph } from '../../graph/js/langgraph/graph.ts'
import { langSmithCallbacks } from '../../graph/js/langgraph/langsmith-tracer.ts'
import { NodeWork, WORK_KEY, watchNodes } from '../../graph/js/langgraph/node-work.ts'
import type { ProjectGraph } from '../../graph/js/project.ts'
import type { StopReason } from '../../queue/stop-reason.ts'
import type { Parts } from '../parts.ts'
import { ProtocolProjection } from '../protocol/protocol-projection.ts'
import { readGraphState } from '../state/read.ts'
import { type RunProjection, StreamProjection } from '../streams/projection.ts'
import { openStream } from '../streams/source.ts'
import { Abandonment } from './abandonment.ts'
import { standsAtBreakpoint } from './breakpoint.ts'
import { graphConfig, streamOptions } from './config.ts'
import { Crash, type Crashed } from './crash.ts'
import { describeError, exhaustedError, timeoutError } from './errors.ts'
import { EventWriter } from './event-writer.ts'
import { type Claimed, finishRun } from './finish.ts'
import { observeRun } from './observed.ts'
import { hasOrder, isHeldBack, OrderedWrites } from './ordered-writes.ts'
import { type Outcome, statusOf } from './outcome.ts'
import { requireOpenInterrupts, UnknownInterruptError } from './strict-resume.ts'
import { withFailure } from './task-failures.ts'
import { type TimedOut, TimeLimit } from './time-limit.ts'

/** Executes one run; the queue calls it under a lease. Answers whether the run has ended. */
export function executeRun(
  parts: Parts,
  run: QueuedRun,
  lease: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  return observeRun(parts, run, (span) =>
    new Execution(parts, { run, lease }, { signal, span }).execute(),
  )
}

/**
 * Ends, in error, a run whose attempts are used up: its server died under it each time. What it executed
 * may be why: no node and no factory is called again, which would take down whoever ends it.
 */
export async function endExhausted(parts: Parts, run: QueuedRun, lease: Lease): Promise<void> {
  const outcome: Outcome = run.cancel_action
    ? { kind: 'cancelled', action: run.cancel_action, stop_outcome: 'cut_off' }
    : { kind: 'error', error: exhaustedError(run) }
  const { signal } = new AbortController()
  await observeRun(parts, run, (span) =>
    new Execution(parts, { run, lease }, { signal, span }).end(outcome, { mayCallFactory: false }),
  )
  parts.queue.wake()
}

class Execution {
  readonly #parts: Parts
  readonly #claimed: Claimed
  readonly #limit: TimeLimit
  readonly #crash = new Crash()
  readonly #signal: AbortSignal
  readonly #work = new NodeWork(() => this.#parts.onNode(currentPlace()))
  readonly #failures: TaskFailures = new Map()
  readonly #patience: Abandonment
  readonly #writer: EventWriter
  readonly #order: OrderedWrites
  readonly #projection: RunProjection
  readonly #span: Span
  #hasBegun = false
  #hasEmitted = false
  /** The graph's stream has ended by itself. */
  #isComplete = false
  #graph: Graph | undefined

  constructor(
    parts: Parts,
    claimed: Claimed,
    { signal, span }: { signal: AbortSignal; span: Span },
  ) {
    this.#parts = parts
    this.#claimed = claimed
    this.#span = span
    this.#limit = new TimeLimit(signal, parts.runTimeoutMs)
    this.#signal = AbortSignal.any([this.#limit.signal, this.#crash.signal])
    this.#patience = new Abandonment(this.#signal)
    this.#writer = new EventWriter(parts.events, claimed)
    this.#order = new OrderedWrites(this.#writer)
    this.#projection =
      claimed.run.kwargs.stream_protocol === 'v2'
        ? new ProtocolProjection(claimed.run, parts.clock)
        : new StreamProjection(claimed.run)
  }

  async execute(): Promise<boolean> {
    try {
      const { fail } = this.#crash
      const outcome = await withOrigin({ ...currentOrigin(), fail }, () => this.#attempt())
      this.#crash.stop()
      this.#order.end({ isDropped: outcome === undefined })
      if (!outcome) return await this.#leave()
      const written = await this.#writer.close()
      if (!written) return false
      return await this.end(outcome, { unwritten: [...written, ...this.#lastEvents(outcome)] })
    } finally {
      this.#order.end({ isDropped: true })
      this.#stop()
    }
  }

  /** Ends the run without executing it any more. `false`: the lease was lost. */
  async end(
    outcome: Outcome,
    {
      unwritten = [],
      mayCallFactory = true,
    }: { unwritten?: NewEvent[]; mayCallFactory?: boolean } = {},
  ): Promise<boolean> {
    this.#span.set({ status: statusOf(outcome) })
    if ('error' in outcome) this.#span.fail(outcome.error.message)
    try {
      const isKnown = mayCallFactory || !this.#source?.hasFactory
      const state = isKnown ? await this.#readState() : undefined
      const events = [...(await this.#missingBeginning()), ...unwritten]
      return await finishRun(this.#parts, this.#claimed, outcome, { state, unwritten: events })
    } finally {
      this.#stop()
    }
  }

  /**
   * The log's first event is told to whoever makes a run before there is one: without it here, an error
   * would stand in its place and be told to nobody.
   */
  async #missingBeginning(): Promise<NewEvent[]> {
    if (this.#hasBegun) return []
    const [first] = await this.#parts.store.events.read(this.#claimed.run.run_id, -1, 1)
    return first ? [] : this.#projection.begin()
  }

  /** Another server ends it; what was emitted until now is in its log. */
  async #leave(): Promise<false> {
    await this.#writer.flush()
    return false
  }

  /** `undefined`: the run is not ours to end. Throws when the database is away. */
  async #attempt(): Promise<Outcome | undefined> {
    try {
      if (!this.#signal.aborted) await this.#iterate()
    } catch (error) {
      if (error instanceof DatabaseAway) throw this.#interrupted(error)
      if (!this.#signal.aborted) return this.#failure(error)
    }
    return this.#signal.aborted ? this.#stopped() : { kind: 'success' }
  }

  /** The signal has aborted, and the stream of the graph is over. */
  async #stopped(): Promise<Outcome | undefined> {
    const stop_outcome = await this.#awaitWork()
    const reason: StopReason | TimedOut | Crashed = this.#signal.reason
    switch (reason.kind) {
      case 'cancelled':
        return { ...reason, stop_outcome }
      case 'crashed':
        return this.#failure(reason.error)
      case 'timed_out':
        return { kind: 'timed_out', error: timeoutError(reason.limitMs), stop_outcome }
      default:
        // Lost or shutting down: another server ends the run.
        return undefined
    }
  }

  /** Whether the code of the graph has ended too, within the time that it is given. */
  async #awaitWork(): Promise<StopOutcome> {
    try {
      await this.#patience.wait(this.#work.ended())
      return 'stopped'
    } catch {
      const { run_id, thread_id } = this.#claimed.run
      this.#parts.log.warn({ run_id, thread_id }, 'the graph ignores its signal: it was cut off')
      return 'cut_off'
    }
  }

  async #iterate(): Promise<void> {
    const { run, lease } = this.#claimed
    const projection = this.#projection
    const resumed = await this.#isResumed()
    await projection.prepare(this.#parts.store.events, { isResumed: resumed })
    this.#hasBegun = true
    this.#order.begin(projection.begin(), { mayWait: !isHeldBack(run) })
    const config = graphConfig(run, lease, resumed)
    const graph = await this.#open(config)
    if (resumed && (await standsAtBreakpoint(graph, run))) return
    if (!resumed) await requireOpenInterrupts(this.#parts, graph, run)
    projection.watch(graph)
    const input = resumed ? null : this.#input()
    const configurable = {
      ...(config.configurable as object),
      [WORK_KEY]: this.#work,
      [FAILURES_KEY]: this.#failures,
      ...(hasOrder(run) && { [ORDER_KEY]: this.#order }),
    }
    const callbacks = [
      ...projection.callbacks((events) => this.#order.begin(events)),
      ...(await this.#tracers()),
    ]
    const options = {
      ...config,
      ...streamOptions(run, this.#signal),
      configurable,
      ...(callbacks.length > 0 && { callbacks }),
    }
    const opening = openStream(graph, input, options, run.kwargs.stream_mode)
    const stream = await this.#patience.wait(this.#order.open(opening))
    for await (const emitted of this.#patience.each(this.#order.watch(stream))) {
      this.#noteFirst()
      const emission = withFailure(emitted, this.#failures)
      const told = projection.checkpointOf(emission)
      if (!(await this.#order.write(projection.project(emission), told))) return
    }
    if (this.#signal.aborted) return
    const last = await this.#patience.wait(projection.settle())
    if (last.length > 0 && !(await this.#order.write(last))) return
    this.#isComplete = true
  }

  /** Whether an earlier claim of the run has come to a checkpoint. The first has none before it. */
  async #isResumed(): Promise<boolean> {
    const { run, lease } = this.#claimed
    if (lease.token === 1) return false
    return this.#parts.store.checkpoints.hasCheckpointOf(run.thread_id, run.run_id)
  }

  /** For a run that names a project of LangSmith; the others are traced there by themselves. */
  async #tracers(): Promise<unknown[]> {
    const { kwargs } = this.#claimed.run
    const source = this.#source
    if (!this.#parts.isLangSmithUsed || !source) return []
    return langSmithCallbacks(source.spec.file, kwargs.config.configurable as JsonObject)
  }

  #noteFirst(): void {
    if (this.#hasEmitted) return
    this.#hasEmitted = true
    const { clock, metrics } = this.#parts
    metrics.firstEvent(Math.max(clock.now() - this.#claimed.run.available_at, 0) / 1000)
  }

  async #open(config: JsonObject): Promise<Graph> {
    const { graph_id } = this.#claimed.run.metadata
    const source = this.#source
    if (!source) throw new AppError('not_found', `The project has no graph "${graph_id}" any more.`)
    this.#graph = await this.#patience.wait(source.open(config))
    watchNodes(this.#graph)
    return this.#graph
  }

  /** `undefined`: the project has no such graph. */
  get #source(): ProjectGraph | undefined {
    const { graph_id } = this.#claimed.run.metadata
    return this.#parts.project.graphs.get(String(graph_id))
  }

  #input(): unknown {
    const { command, input } = this.#claimed.run.kwargs
    return command ? this.#parts.project.command(command) : (input ?? null)
  }

  /** They are written with the run's end: who acts on what they tell finds the run over. */
  #lastEvents(outcome: Outcome): NewEvent[] {
    if (outcome.kind === 'success') return this.#isComplete ? this.#projection.end() : []
    return this.#projection.fail('error' in outcome ? outcome.error : undefined)
  }

  /** The graph has not failed: another attempt goes on when the database is back. */
  #interrupted(error: DatabaseAway): DatabaseAway {
    const { run_id, thread_id } = this.#claimed.run
    this.#parts.log.warn({ run_id, thread_id, err: error }, 'lost the database during the run')
    return error
  }

  #failure(cause: unknown): Outcome {
    const isUntouched = cause instanceof UnknownInterruptError
    return {
      kind: 'error',
      error: describeError(cause),
      cause,
      ...(isUntouched && { isUntouched }),
    }
  }

  #stop(): void {
    this.#patience.stop()
    this.#limit.stop()
  }

  /** The graph may be what is broken: then the run ends without a state. */
  async #readState(): Promise<ThreadState | undefined> {
    const { run, lease } = this.#claimed
    const { run_id, thread_id } = run
    try {
      const graph = this.#graph ?? (await this.#open(graphConfig(run, lease, true)))
      return await readGraphState(graph, thread_id)
    } catch (error) {
      this.#parts.log.warn({ run_id, thread_id, err: error }, 'could not read the state of the run')
      return undefined
    }
  }
}
