/** Reports runs to the log, the metrics and the traces. */

import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import { withOrigin } from '../../core/origin.ts'
import type { Span } from '../../core/tracing.ts'
import type { Parts } from '../agent-server-parts.ts'
import { type Outcome, statusOf } from './outcome.ts'

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
