/** Metrics and traces of webhooks. */

import type { AttemptResult, QueuedDelivery } from '../../core/agent/webhook.ts'
import { withOrigin } from '../../core/origin.ts'
import type { Parts } from '../agent-server-parts.ts'

/** Makes an attempt in a span below its run's. */
export function observeAttempt(
  { tracer, metrics }: Pick<Parts, 'tracer' | 'metrics'>,
  delivery: QueuedDelivery,
  attempt: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const { delivery_id, run_id, thread_id, origin } = delivery
  const attributes = { delivery_id, run_id, thread_id, attempt: delivery.attempt }
  const options = { name: 'webhook', kind: 'client', attributes } as const
  return tracer.span({ ...options, parent: origin?.traceparent }, (span) => {
    const { traceparent } = span
    const begun = performance.now()
    return withOrigin({ ...origin, traceparent, run_id, thread_id }, async () => {
      const result = await attempt()
      const { status, response_status, error } = result
      metrics.webhookAttempted({ status, seconds: (performance.now() - begun) / 1000 })
      if (response_status !== null) span.set({ 'http.response.status_code': response_status })
      if (error !== null) span.fail(error)
      return result
    })
  })
}
