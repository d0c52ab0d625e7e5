/**
 * Executes claimed runs: opens the graph, iterates it, logs its emissions, writes the run's end.
 *
 * If an earlier attempt has written a checkpoint, the run continues from there and repeats no
 * finished step. When the server stops or the lease is lost, nothing more is written.
 */

import type { NewEvent } from '../../core/agent/event.ts'
import type { GraphInfo } from '../../core/agent/host/description.ts'
import type { Emission } from '../../core/agent/host/emission.ts'
import { failureOf, type GraphFailure } from '../../core/agent/host/failure.ts'
import type { OpenGraph } from '../../core/agent/host/graph-host.ts'
import type { RunCalls } from '../../core/agent/host/run.ts'
import { isRetried } from '../../core/agent/retry.ts'
import { type ClaimedRun, FIRST_TOKEN, type Lease, type QueuedRun } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { AppError, DatabaseAway } from '../../core/errors.ts'
import { currentOrigin, withOrigin } from '../../core/origin.ts'
import type { Span } from '../../core/tracing.ts'
import { LARGE, ownTurn } from '../../core/turn.ts'
import type { Drain, Executed } from '../../queue/execution.ts'
import type { RunLog } from '../../stream/run-log.ts'
import type { Unwritten } from '../../stream/write-buffer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { ProtocolProjection } from '../protocol/protocol-projection.ts'
import { type RunProjection, StreamProjection } from '../streams/projection.ts'
import { readGraphState } from '../threads/state.ts'
import { AttemptTimeline } from './attempt-timeline.ts'
import { graphConfig, graphRequest } from './config.ts'
import { finishRun } from './finish.ts'
import { HandOver } from './hand-over.ts'
import { NodeSpans } from './node-spans.ts'
import {
  countTokens,
  exhaustedError,
  type Outcome,
  observeRun,
  statusOf,
  stoppedUnasked,
  type TokenCounter,
  timeoutError,
} from './outcome.ts'
import {
  answeredEvents,
  requireOpenInterrupts,
  standsAtBreakpoint,
  UnknownInterruptError,
} from './resume.ts'
import { RunCheckpoints, TakenEmissions } from './run-checkpoints.ts'
import { type AbortReason, AbortTimeout, RunSignal } from './run-signal.ts'

type ExecutionParts = Pick<
  Parts,
  | 'store'
  | 'host'
  | 'events'
  | 'webhooks'
  | 'metrics'
  | 'tracer'
  | 'runTimeoutMs'
  | 'abortLimitMs'
  | 'revisionId'
  | 'clock'
  | 'log'
>

/** Executes one run; the queue calls it under a lease. */
export function executeRun(
  parts: ExecutionParts,
  claimed: ClaimedRun,
  signal: AbortSignal,
  drain: Drain,
): Promise<Executed> {
  return observeRun(parts, claimed.run, (span) =>
    new Execution(parts, claimed, { signal, drain, span }).execute(),
  )
}

/**
 * Ends a run in error after its last attempt: each attempt lost its server. The run's code may be the cause,
 * so no node and no factory is called: that could take down the server that ends the run.
 */
export async function endExhausted(
  parts: ExecutionParts,
  run: QueuedRun,
  lease: Lease,
): Promise<void> {
  const outcome: Outcome = run.cancel_action
    ? { kind: 'cancelled', action: run.cancel_action, stop_outcome: 'cut_off' }
    : { kind: 'error', error: exhaustedError(run) }
  const { signal } = new AbortController()
  await observeRun(parts, run, (span) =>
    new Execution(parts, { run, lease }, { signal, span }).endUnexecuted(outcome),
  )
}

/** The result of a run that another server ends. */
const LEFT: Executed = { isEnded: false, isNextWaiting: true }

class Execution {
  readonly #parts: ExecutionParts
  readonly #claimed: ClaimedRun
  readonly #drain: Drain
  readonly #runSignal: RunSignal
  readonly #signal: AbortSignal
  readonly #abortTimeout: AbortTimeout
  readonly #log: RunLog
  readonly #emissions = new TakenEmissions()
  readonly #checkpoints: RunCheckpoints
  readonly #handOver: HandOver
  readonly #projection: RunProjection
  readonly #span: Span
  readonly #nodeSpans: NodeSpans
  readonly #tokens: TokenCounter
  /** Absent: this execution only ends the run. */
  #timeline: AttemptTimeline | undefined
  #hasBegun = false
  #hasEmitted = false
  /** The graph's stream has ended without a stop. */
  #isComplete = false
  /** The graph has stopped before its next step. */
  #isDrained = false
  #graph: OpenGraph | undefined

  constructor(
    parts: ExecutionParts,
    claimed: ClaimedRun,
    { signal, drain = {}, span }: { signal: AbortSignal; drain?: Drain; span: Span },
  ) {
    this.#drain = drain
    this.#parts = parts
    this.#claimed = claimed
    this.#span = span
    this.#nodeSpans = new NodeSpans(parts.tracer, span)
    this.#runSignal = new RunSignal(signal, parts.runTimeoutMs)
    this.#signal = this.#runSignal.signal
    this.#abortTimeout = new AbortTimeout(this.#signal, parts.abortLimitMs)
    const { run, lease } = claimed
    const { run_id, thread_id, has_new_thread, kwargs } = run
    this.#tokens = countTokens(parts, run)
    this.#log = parts.events.openRun({ run_id, thread_id, lease })
    const checkpoints = new RunCheckpoints({
      store: parts.store.checkpoints,
      thread_id,
      log: this.#log,
      emissions: this.#emissions,
      isNewThread: has_new_thread ?? false,
      isAwaited: kwargs.durability === 'sync',
    })
    this.#checkpoints = checkpoints
    const emissions = this.#emissions
    this.#handOver = new HandOver({ signal: this.#signal, emissions, checkpoints })
    const isOfProtocol = kwargs.stream_protocol === 'v2'
    this.#projection = isOfProtocol
      ? new ProtocolProjection(run, parts.clock)
      : new StreamProjection(run)
  }

  async execute(): Promise<Executed> {
    this.#timeline = new AttemptTimeline(this.#parts, this.#claimed)
    try {
      const fail = this.#runSignal.crash
      const outcome = await withOrigin({ ...currentOrigin(), fail }, () => this.#attempt())
      this.#runSignal.ignoreCrashes()
      if (!outcome) await this.#handOver.stored()
      this.#log.release({ isDropped: outcome === undefined })
      if (!outcome) return await this.#leave()
      return await this.#finish(outcome).catch((error) => this.#endUnwritten(failureOf(error)))
    } finally {
      // Does nothing if the timeline was closed with the run's end or hand-over.
      await this.#timeline.leave('lost')
      this.#nodeSpans.close()
      this.#stop()
    }
  }

  /**
   * Ends the run without executing it: the run gets no further attempt, and no factory is called. Does nothing if the
   * lease was lost.
   */
  async endUnexecuted(outcome: Outcome): Promise<Executed> {
    try {
      const state = this.#info?.hasFactory ? undefined : await this.#readState({ isLast: true })
      return await this.#end(outcome, { state, unwritten: { events: [], puts: [] } })
    } finally {
      this.#stop()
    }
  }

  /** Writes the pending events and checkpoints together with the run's end. */
  async #finish(outcome: Outcome): Promise<Executed> {
    await this.#checkpoints.placed()
    const state = await this.#readState({ isLast: false })
    const unwritten = await this.#log.close()
    if (!unwritten) return LEFT
    const events = [...unwritten.events, ...(await this.#lastEvents(outcome))]
    return this.#end(outcome, { state, unwritten: { ...unwritten, events } })
  }

  /** Ends the run in error after its results could not be written. Throws if another attempt may write them. */
  async #endUnwritten(failure: GraphFailure): Promise<Executed> {
    if (isRetried(failure)) throw this.#interrupted(failure)
    const outcome = failed(failure)
    const events = await this.#lastEvents(outcome)
    return this.#end(outcome, { state: undefined, unwritten: { events, puts: [] } })
  }

  async #end(
    outcome: Outcome,
    { state, unwritten }: { state: ThreadState | undefined; unwritten: Unwritten },
  ): Promise<Executed> {
    this.#span.set({ status: statusOf(outcome) })
    if ('error' in outcome) this.#span.fail(outcome.error.message)
    const events = [...(await this.#missingBeginning()), ...unwritten.events]
    const entry = await this.#timeline?.close(statusOf(outcome))
    const timeline = entry && { ...entry, excerpt: this.#tokens.sum() }
    const left = { state, unwritten: { ...unwritten, events }, timeline }
    return finishRun(this.#parts, this.#claimed, outcome, left)
  }

  /**
   * Returns the log's first event if the log lacks it. The creator of a run gets that event before the log has
   * any, and would skip an error in its place.
   */
  async #missingBeginning(): Promise<NewEvent[]> {
    if (this.#hasBegun) return []
    const [first] = await this.#parts.store.events.read(this.#claimed.run.run_id, -1, 1)
    return first ? [] : this.#projection.begin()
  }

  /** Leaves the run to another server, with all emissions until now in its log. */
  async #leave(): Promise<Executed> {
    await this.#log.flush()
    await this.#timeline?.leave('handed_over')
    return { ...LEFT, isHandedBack: this.#isDrained }
  }

  /** `undefined`: another server ends the run. Throws if the database or the graph host is away. */
  async #attempt(): Promise<Outcome | undefined> {
    const failure = this.#signal.aborted ? undefined : await this.#iterate().catch(failureOf)
    if (failure && isRetried(failure)) throw this.#interrupted(failure)
    if (this.#signal.aborted) return this.#stopped()
    if (this.#isDrained) return undefined
    return failure ? failed(failure) : { kind: 'success' }
  }

  /** The outcome after the signal has aborted and the graph has ended or was cut off. */
  #stopped(): Outcome | undefined {
    const stop_outcome = this.#abortTimeout.isOver ? 'cut_off' : 'stopped'
    if (stop_outcome === 'cut_off') {
      const { run_id, thread_id } = this.#claimed.run
      this.#parts.log.warn({ run_id, thread_id }, 'the graph ignores its signal: it was cut off')
    }
    const reason: AbortReason = this.#signal.reason
    switch (reason.kind) {
      case 'cancelled':
        return { ...reason, stop_outcome }
      case 'crashed':
        return failed(failureOf(reason.error))
      case 'timed_out':
        return { kind: 'timed_out', error: timeoutError(reason.limitMs), stop_outcome }
      default:
        // Lost or shutting down: another server ends the run.
        return undefined
    }
  }

  /** Returns the graph's failure. `undefined`: it has not failed, or this server no longer has the run. */
  async #iterate(): Promise<GraphFailure | undefined> {
    const { run } = this.#claimed
    const projection = this.#projection
    const resumed = await this.#isResumed()
    if (!this.#isFirst) {
      await projection.prepare?.(this.#parts.store.events, { isResumed: resumed })
    }
    this.#hasBegun = true
    this.#log.begin(projection.begin())
    if (!resumed) this.#log.begin(await answeredEvents(this.#parts, run))
    const graph = await this.#open({ resumed })
    if (resumed && (await standsAtBreakpoint(graph, run))) return
    if (!resumed) await requireOpenInterrupts(this.#parts, graph, run)
    const signal = this.#handOver.signalOfGraph()
    const calls: RunCalls = {
      checkpoints: this.#checkpoints,
      onSpans: (spans) => {
        this.#timeline?.onSpans(spans)
        this.#nodeSpans.onSpans(spans)
        this.#tokens.onSpans(spans)
      },
    }
    const running = graph.run(graphRequest(run, { resumed }), calls, signal)
    const begun = await this.#abortTimeout.wait(running)
    this.#drain.ask = () => begun.drain?.() ?? false
    projection.watch?.(begun)
    for await (const batch of this.#abortTimeout.each(this.#emissions.watch(begun.emissions))) {
      this.#noteFirst()
      if (!(await this.#write(batch))) return
    }
    if (this.#signal.aborted) return
    const end = await this.#abortTimeout.wait(begun.end)
    if (end.kind === 'failed') return end.failure
    if (end.kind === 'stopped') throw stoppedUnasked()
    if (end.kind === 'drained') return this.#drained()
    if (projection.settle) this.#log.append(await this.#abortTimeout.wait(projection.settle()))
    if (await this.#log.room()) this.#isComplete = true
  }

  /** Another attempt continues from the graph's last checkpoint, on another server or on this one. */
  async #drained(): Promise<undefined> {
    this.#isDrained = true
    await this.#handOver.take()
  }

  /** Projects the batch and adds the events to the log. `false`: the lease was lost. */
  async #write(batch: readonly Emission[]): Promise<boolean> {
    const projection = this.#projection
    for (const emission of batch) {
      const projected = projection.project(emission)
      const isMade = Array.isArray(projected)
      const made = isMade ? projected : await this.#abortTimeout.wait(projected)
      if (made.some(({ data }) => data.length > LARGE)) await ownTurn()
      this.#log.append(made, this.#holdsBack ? projection.checkpointOf?.(emission) : undefined)
    }
    return this.#log.room()
  }

  /** Legacy streams show a repeated step again. With `exit`, events would wait until the end. */
  get #holdsBack(): boolean {
    const { stream_protocol, durability } = this.#claimed.run.kwargs
    return stream_protocol === 'v2' && durability !== 'exit'
  }

  /** Whether this is the run's first claim: neither the log nor the checkpoints have anything of the run. */
  get #isFirst(): boolean {
    return this.#claimed.lease.token === FIRST_TOKEN
  }

  /** Whether an earlier claim of the run has stored a checkpoint. */
  async #isResumed(): Promise<boolean> {
    const { run } = this.#claimed
    if (this.#isFirst) return false
    return this.#parts.store.checkpoints.hasCheckpointOf(run.thread_id, run.run_id)
  }

  #noteFirst(): void {
    if (this.#hasEmitted) return
    this.#hasEmitted = true
    const { clock, metrics } = this.#parts
    metrics.firstEvent(Math.max(clock.now() - this.#claimed.run.available_at, 0) / 1000)
  }

  async #open({ resumed }: { resumed: boolean }): Promise<OpenGraph> {
    const { run } = this.#claimed
    const { host } = this.#parts
    const graph_id = String(run.metadata.graph_id)
    if (!this.#info) {
      throw new AppError('not_found', `The project has no graph "${graph_id}" any more.`)
    }
    const opening = host.open(graph_id, graphConfig(run, { resumed }))
    this.#graph = await this.#abortTimeout.wait(opening)
    return this.#graph
  }

  /** `undefined`: the project does not have the run's graph. */
  get #info(): GraphInfo | undefined {
    const { graph_id } = this.#claimed.run.metadata
    return this.#parts.host.graphs.get(String(graph_id))
  }

  /** The last events are written with the run's end, so that a client that reads them finds the run over. */
  async #lastEvents(outcome: Outcome): Promise<NewEvent[]> {
    if (outcome.kind === 'success') return this.#isComplete ? this.#projection.end() : []
    return this.#projection.fail('error' in outcome ? outcome.error : undefined)
  }

  /** The graph has not failed: another attempt continues when the database or the graph host is back. */
  #interrupted({ kind, message, thrown }: GraphFailure): AppError {
    const { run_id, thread_id } = this.#claimed.run
    const error = thrown instanceof AppError ? thrown : new DatabaseAway(message, thrown)
    const what = kind === 'database_away' ? 'the database' : 'the graph host'
    this.#parts.log.warn({ run_id, thread_id, err: error }, `lost ${what} during the run`)
    return error
  }

  #stop(): void {
    this.#abortTimeout.stop()
    this.#runSignal.stop()
    this.#log.stop()
  }

  /**
   * The thread's state, including checkpoints that are not written yet. If the graph is broken, the run ends without a
   * state. Throws if another attempt may read it, unless this is the last.
   */
  async #readState({ isLast }: { isLast: boolean }): Promise<ThreadState | undefined> {
    const { run_id, thread_id } = this.#claimed.run
    try {
      const graph = this.#graph ?? (await this.#open({ resumed: true }))
      const checkpoints = this.#checkpoints
      return await readGraphState(graph, thread_id, { subgraphs: false, checkpoints })
    } catch (error) {
      const failure = failureOf(error)
      if (!isLast && isRetried(failure)) throw error
      this.#parts.log.warn({ run_id, thread_id, err: error }, 'could not read the state of the run')
      return undefined
    }
  }
}

/** If the server or the graph refuses the resume value, the thread stays as it was. */
function failed({ error, message, thrown, isAnswerRefused }: GraphFailure): Outcome {
  const ofServer = thrown instanceof UnknownInterruptError ? { refusal: thrown.refusal } : {}
  const isUntouched = isAnswerRefused || thrown instanceof UnknownInterruptError
  return {
    kind: 'error',
    error: { error, message, ...ofServer },
    cause: thrown,
    ...(isUntouched && { isUntouched }),
  }
}
