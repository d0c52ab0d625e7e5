/** The figures of an agent server, on its store. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import { systemClock } from '../core/clock.ts'
import { LazyAgentMetrics } from '../telemetry/agent-metrics.ts'

/** Once the first requests have been answered, in ms. */
const LOAD_MS = 1_000

export function createAgentMetrics(store: AgentStore): LazyAgentMetrics {
  return new LazyAgentMetrics({
    queue: () => store.runs.figures(systemClock.now()),
    pendingWebhooks: () => store.webhookDeliveries.countPending(),
    ping: () => store.ping(),
    databaseBytes: () => store.sizeBytes(),
    now: () => systemClock.now(),
  })
}

export function loadLater(metrics: LazyAgentMetrics): void {
  setTimeout(() => void metrics.load(), LOAD_MS).unref()
}
