/** What the agent server's verbs work with; `server/agent-server.ts` puts it together. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { Authorize } from '../core/agent/authorization.ts'
import type { GraphItems } from '../core/agent/host/calls.ts'
import type { GraphHost } from '../core/agent/host/graph-host.ts'
import type { AgentMetrics } from '../core/agent/server/metrics.ts'
import type { ProjectSettings } from '../core/agent/server/project-settings.ts'
import type { UiBundle } from '../core/agent/ui-bundle.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Tracer } from '../core/tracing.ts'
import type { Queue } from '../queue/queue.ts'
import type { EventLog } from '../stream/event-log.ts'
import type { Webhooks } from '../webhook/webhooks.ts'
import type { AnswerBudget } from './answer-budget.ts'
import type { Limits, PendingRuns } from './limits.ts'

export interface Parts {
  store: AgentStore
  config: ProjectSettings
  /** The components of each graph that has some. */
  ui: ReadonlyMap<string, UiBundle>
  /** The store, as the project says: with time to live, and found by meaning. */
  items: GraphItems
  host: GraphHost
  queue: Pick<Queue, 'cancelLocal' | 'expect' | 'reserve' | 'wake'>
  events: EventLog
  authorize: Authorize
  /** Looks for crons that are due now. */
  crons: { wake(): void }
  webhooks: Pick<Webhooks, 'check' | 'wake'>
  metrics: AgentMetrics
  tracer: Tracer
  /** How long an attempt of a run may take, in ms. */
  runTimeoutMs: number
  /** How long the code of a run may go on after it was told to stop, in ms. */
  abortLimitMs: number
  /** Of which deployment's revision the server is; absent: of none. */
  revisionId?: string
  /** Of which deployment; absent: of none. */
  deploymentId?: string
  limits: Limits
  answers: AnswerBudget
  pendingRuns: Pick<PendingRuns, 'requireRoom'>
  /** The project to which graphs trace. Absent: they do not trace to LangSmith. */
  langSmithProject?: string
  clock: Clock
  log: Log
}
