/**
 * Builds the parts of an agent server in the order of their dependencies, without starting any, and observes its
 * webhooks with metrics and traces.
 */
import { randomUUID } from 'node:crypto'
import { allowAll } from '../../core/agent/authorization.ts'
import { noAgentMetrics } from '../../core/agent/server/metrics.ts'
import type { AttemptResult, QueuedDelivery } from '../../core/agent/webhook.ts'
import { type Place, withOrigin } from '../../core/origin.ts'
import { noTracer } from '../../core/tracing.ts'
import { hostId } from '../../queue/host-processes.ts'
import { Queue } from '../../queue/queue.ts'
import { EventLog } from '../../stream/event-log.ts'
import { Webhooks } from '../../webhook/webhooks.ts'
import { authorizeBy } from '../access/project-auth.ts'
import type { Parts } from '../agent-server-parts.ts'
import { AnswerBudget } from '../answer-budget.ts'
import { CronScheduler } from '../crons/scheduler.ts'
import { DEFAULT_LIMITS, type Limits, PendingRuns } from '../limits.ts'
import { Items } from '../store/items.ts'
import type { DatabaseOutage } from './database-outage.ts'
import type { AgentServerOptions } from './options.ts'

const DEFAULT_CONCURRENCY = 32
const DEFAULT_RUN_TIMEOUT_MS = 86_400_000
const DEFAULT_ABORT_LIMIT_MS = 1_500
/** How many events of each followed run are kept in memory, if they are small. */
const RING_EVENTS = 1_024

/** `Parts` with the full types of the parts that are started and stopped. */
export interface OpenedParts extends Parts {
  queue: Queue
  crons: CronScheduler
  webhooks: Webhooks
  /** Called just before each function of a node. */
  onNode: (place: Place) => void
}

/** Throws `bad_request` if the project's webhook headers are invalid. */
export function openParts(
  options: AgentServerOptions,
  outage: Pick<DatabaseOutage, 'isOn'>,
): OpenedParts {
  const { store, host, config, clock, log } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const watchers = {
    metrics: options.metrics ?? noAgentMetrics,
    tracer: options.tracer ?? noTracer,
  }
  const queue = createQueue(options, outage)
  return {
    store,
    host,
    config,
    ui: options.ui ?? new Map(),
    items: new Items({ store: store.items, config: config.store, embed: host.embed, clock }),
    queue,
    events: createEventLog(options, queue, limits),
    authorize: options.authorize ?? (host.auth ? authorizeBy(host.auth) : allowAll),
    crons: createCrons(options),
    webhooks: createWebhooks(options, watchers),
    ...watchers,
    runTimeoutMs: options.runTimeoutMs ?? DEFAULT_RUN_TIMEOUT_MS,
    abortLimitMs: options.abortLimitMs ?? DEFAULT_ABORT_LIMIT_MS,
    ...(options.revisionId !== undefined && { revisionId: options.revisionId }),
    ...(options.deploymentId !== undefined && { deploymentId: options.deploymentId }),
    limits,
    answers: new AnswerBudget(limits.answerBytes),
    pendingRuns: new PendingRuns(store.runs, clock, limits),
    ...(options.isLangSmithUsed && { langSmithProject: options.langSmithProject ?? 'default' }),
    onNode: options.onNode ?? (() => {}),
    clock,
    log,
  }
}

function createQueue(options: AgentServerOptions, outage: Pick<DatabaseOutage, 'isOn'>): Queue {
  const { store, host, concurrency, leaseMs, clock, log } = options
  const graphs = [...host.graphs.keys()]
  return new Queue({
    store,
    notices: store.notices,
    server: { server_id: randomUUID(), host: hostId(), pid: process.pid, graphs },
    concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    ...(leaseMs !== undefined && { leaseMs }),
    isHeld: () => outage.isOn,
    isFedByOthers: options.role === 'worker',
    clock,
    log,
  })
}

function createEventLog(
  options: AgentServerOptions,
  queue: Queue,
  { streamBufferBytes }: Limits,
): EventLog {
  const { store, eventRetentionMs: retentionMs, clock, log } = options
  return new EventLog({
    store,
    isLocal: (run_id) => queue.isRunning(run_id),
    notices: store.notices,
    ring: { events: RING_EVENTS, chars: streamBufferBytes },
    ...(retentionMs !== undefined && { retentionMs }),
    clock,
    log,
  })
}

function createCrons({ store, cronPollMs, clock, log }: AgentServerOptions): CronScheduler {
  return new CronScheduler({
    nextDue: () => store.crons.nextDue(),
    ...(cronPollMs !== undefined && { pollMs: cronPollMs }),
    clock,
    log,
  })
}

function createWebhooks(
  { store, config, webhooks, clock, log }: AgentServerOptions,
  watchers: Pick<Parts, 'metrics' | 'tracer'>,
): Webhooks {
  return new Webhooks({
    config: config.webhooks,
    settings: webhooks ?? {},
    isDisabled: config.http.disabled.has('webhooks'),
    deliveries: store.webhookDeliveries,
    onAttempt: (delivery, attempt) => observeAttempt(watchers, delivery, attempt),
    clock,
    log,
  })
}

/** Makes an attempt in a span below its run's. */
function observeAttempt(
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
