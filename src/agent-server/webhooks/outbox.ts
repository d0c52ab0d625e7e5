/** Queues webhooks, the run's own and the deployment's, and push notifications when a run has ended. */
import { randomUUID } from 'node:crypto'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { DELIVERY_ATTEMPTS, type WebhookEnd } from '../../core/agent/webhook.ts'
import { currentOrigin, type RunOrigin } from '../../core/origin.ts'
import { enqueuePushes } from '../a2a/push.ts'
import { runOnWire } from '../runs/run-on-wire.ts'

/**
 * Part of the transaction that ends the run, which may be removed by now: queues the run's webhook, those of the
 * deployment and its task's push notifications. `false`: nothing was queued. On `true`, wake the sender after the
 * commit. `now` in ms since 1970.
 */
export async function enqueuePosts(
  tx: AgentStore,
  run: QueuedRun,
  end: WebhookEnd,
  now: number,
): Promise<boolean> {
  const [hasWebhook, hasPushes] = await Promise.all([
    enqueueWebhooks(tx, run, end, now),
    enqueuePushes(tx, run, end, now),
  ])
  return hasWebhook || hasPushes
}

async function enqueueWebhooks(
  tx: AgentStore,
  run: QueuedRun,
  end: WebhookEnd,
  now: number,
): Promise<boolean> {
  const { run_id, thread_id } = run
  const urls = urlsOf(tx, run, end)
  if (urls.length === 0) return false
  const thread = await tx.threads.get(thread_id, { isDropped: true })
  const delivery = {
    ...{ run_id, thread_id },
    created_at: new Date(now).toISOString(),
    last_attempt: DELIVERY_ATTEMPTS,
    payload: JSON.stringify(bodyOf((await tx.runs.get(run_id)) ?? run, end, now)),
    metadata: thread?.metadata ?? {},
    origin: originOf(run),
  }
  // All are sent together: one round trip.
  const insert = (url: string) =>
    tx.webhookDeliveries.insert({ ...delivery, delivery_id: randomUUID(), url })
  await Promise.all(urls.map(insert))
  return true
}

/** Each URL once, even if it is both the run's own and the deployment's. */
function urlsOf(tx: AgentStore, { kwargs }: QueuedRun, { status }: WebhookEnd): string[] {
  const isFailure = status === 'error' || status === 'timeout'
  const standing = tx.webhookDeliveries.standing.filter(
    ({ events }) => events === 'all' || isFailure,
  )
  const own = kwargs.webhook === undefined ? [] : [kwargs.webhook]
  return [...new Set([...own, ...standing.map(({ url }) => url)])]
}

/** The run as the API returns it, with its end. */
function bodyOf(run: QueuedRun, { status, error, values }: WebhookEnd, now: number): object {
  const ended = new Date(now).toISOString()
  return {
    ...runOnWire(run),
    updated_at: ended,
    status,
    run_started_at: run.started_at === null ? null : new Date(run.started_at).toISOString(),
    run_ended_at: ended,
    values: values ?? null,
    error,
  }
}

/** The trace that the delivery belongs to: the run's own span, or else the request that created the run. */
function originOf({ origin, run_id }: QueuedRun): RunOrigin | null {
  const here = currentOrigin()
  const isOfRun = here.run_id === run_id && here.traceparent !== undefined
  return isOfRun ? { ...origin, traceparent: here.traceparent as string } : origin
}
