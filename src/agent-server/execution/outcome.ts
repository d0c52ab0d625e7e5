/** How an execution of a run ends: its outcome, the errors of failed runs, and its log lines, metrics and traces. */
import type { CancelAction, QueuedRun, RunError, StopOutcome } from '../../core/agent/run.ts'
import type { RunExcerpt, TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'
import { withOrigin } from '../../core/origin.ts'
import type { Span } from '../../core/tracing.ts'
import type { Parts } from '../agent-server-parts.ts'

export type Outcome =
  | { kind: 'success' }
  /** `cause`: the error that the graph threw. `isUntouched`: the run was refused before it changed its thread. */
  | { kind: 'error'; error: RunError; cause?: unknown; isUntouched?: true }
  | { kind: 'cancelled'; action: CancelAction; stop_outcome: StopOutcome }
  | { kind: 'timed_out'; error: RunError; stop_outcome: StopOutcome }

export function statusOf({ kind }: Outcome): 'success' | 'error' | 'interrupted' | 'timeout' {
  if (kind === 'cancelled') return 'interrupted'
  return kind === 'timed_out' ? 'timeout' : kind
}

/** Error of a run that lost its server, graph host or database in every attempt. */
export function exhaustedError({ attempt }: Pick<QueuedRun, 'attempt'>): RunError {
  const what = 'The server, its graph host or its database stopped'
  const message =
    attempt === 1
      ? `${what} during this run, which has one attempt.`
      : `${what} ${attempt} times during this run, the last time while no other run executed beside it.`
  return { error: 'RunAttemptsExhausted', message }
}

/** Error of a run that exceeded the time limit of an attempt. */
export function timeoutError(limitMs: number): RunError {
  const message = `The run took longer than the ${limitMs / 1000} s that a run may take.`
  return { error: 'TimeoutError', message }
}

/** Error of a run that its host reports as stopped although its signal has not aborted. */
export function stoppedUnasked(): AppError {
  return new AppError('internal', 'The graph host stopped a run without a request.')
}

/** Executes a run in a span below the request that created it. All its log lines name both. */
export function observeRun<T>(
  { tracer, metrics, clock }: Pick<Parts, 'metrics' | 'tracer' | 'clock'>,
  run: QueuedRun,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const { run_id, thread_id, assistant_id, attempt, origin } = run
  const graph_id = String(run.metadata.graph_id)
  metrics.runStarted({ waited: Math.max(clock.now() - run.available_at, 0) / 1000 })
  const queue = { name: 'queue', kind: 'consumer', parent: origin?.traceparent } as const
  const attributes = { run_id, thread_id }
  tracer.begin({ ...queue, attributes, startedAt: run.available_at }).end()
  return tracer.span(
    {
      name: `run ${graph_id}`,
      kind: 'consumer',
      parent: origin?.traceparent,
      attributes: { run_id, thread_id, assistant_id, graph_id, attempt },
    },
    (span) => {
      const { request_id } = origin ?? {}
      const { traceparent } = span
      return withOrigin({ request_id, traceparent, thread_id, run_id }, () => work(span))
    },
  )
}

/** Counts the tokens of an attempt's models. */
export interface TokenCounter {
  /** See `RunCalls`. */
  onSpans(spans: readonly TimelineSpan[]): void
  /** Of the models that have ended; empty: none has reported tokens. */
  sum(): Pick<RunExcerpt, 'input_tokens' | 'output_tokens'>
}

/** The counter also reports the run's first token, and the tokens of each model that has ended, to the metrics. */
export function countTokens(
  { metrics }: Pick<Parts, 'metrics'>,
  { available_at }: Pick<QueuedRun, 'available_at'>,
): TokenCounter {
  let hasToken = false
  let sum: ReturnType<TokenCounter['sum']> = {}
  const count = ({ input_tokens, output_tokens }: TimelineSpan) => {
    if (input_tokens === undefined && output_tokens === undefined) return
    const [input, output] = [input_tokens ?? 0, output_tokens ?? 0]
    const { input_tokens: given = 0, output_tokens: answered = 0 } = sum
    sum = { input_tokens: given + input, output_tokens: answered + output }
    if (input + output > 0) metrics.tokensUsed({ input, output })
  }
  return {
    onSpans(spans) {
      for (const span of spans) {
        if (span.first_token_at !== undefined && !hasToken) {
          hasToken = true
          metrics.firstToken(Math.max(span.first_token_at - available_at, 0) / 1000)
        }
        if (span.ended_at !== null) count(span)
      }
    },
    sum: () => sum,
  }
}

/** Call after the transaction that ended the run. A failed run is logged at `error`, with the reason. */
export function tellEnd(
  { metrics, clock, log }: Pick<Parts, 'metrics' | 'clock' | 'log'>,
  run: QueuedRun,
  outcome: Outcome,
): void {
  const { run_id, thread_id, attempt } = run
  const status = statusOf(outcome)
  const seconds = Math.max(clock.now() - (run.started_at ?? clock.now()), 0) / 1000
  metrics.runEnded({ status, seconds })
  const fields = { run_id, thread_id, graph_id: run.metadata.graph_id, attempt, status }
  if ('error' in outcome) log.error({ ...fields, err: reasonOf(outcome) }, 'the run failed')
  log.info({ ...fields, ms: Math.round(seconds * 1000) }, 'a run has ended')
}

function reasonOf(outcome: Extract<Outcome, { error: RunError }>): unknown {
  if ('cause' in outcome && outcome.cause !== undefined) return outcome.cause
  const { error: type, message } = outcome.error
  return { type, message }
}
