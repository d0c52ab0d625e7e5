/**
 * The parts that the agent server's verbs use (`server/agent-server.ts` assembles them), and its API's configuration.
 */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { Authorize } from '../core/agent/authorization.ts'
import type { ProjectAuth } from '../core/agent/host/auth.ts'
import type { GraphItems } from '../core/agent/host/calls.ts'
import type { GraphHost } from '../core/agent/host/graph-host.ts'
import type { ProjectRoutes } from '../core/agent/host/project-routes.ts'
import type { AgentMetrics } from '../core/agent/server/metrics.ts'
import type {
  HttpConfig,
  OpenApiSecurity,
  ProjectSettings,
  UiBundle,
} from '../core/agent/server/project-settings.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Tracer } from '../core/tracing.ts'
import type { Queue } from '../queue/queue.ts'
import type { EventLog } from '../stream/event-log.ts'
import type { Webhooks } from '../webhook/webhooks.ts'
import type { DoorConfig } from './access/door.ts'
import type { OpenTo } from './access/open-door.ts'
import type { AnswerBudget } from './answer-budget.ts'
import type { Limits, PendingRuns } from './limits.ts'

export interface Parts {
  store: AgentStore
  config: ProjectSettings
  /** UI components by graph; graphs without any are absent. */
  ui: ReadonlyMap<string, UiBundle>
  /** The store with the project's settings for time to live and semantic search. */
  items: GraphItems
  host: GraphHost
  queue: Pick<Queue, 'cancelLocal' | 'reserve' | 'wake'>
  events: EventLog
  authorize: Authorize
  /** Looks for crons that are due now. */
  crons: { wake(): void }
  webhooks: Pick<Webhooks, 'check' | 'wake' | 'sendOnce'>
  metrics: AgentMetrics
  tracer: Tracer
  /** Time limit for one attempt of a run, in ms. */
  runTimeoutMs: number
  /** How long a run's code may continue after its abort, in ms. */
  abortLimitMs: number
  /** The revision that the server belongs to. Absent: none. */
  revisionId?: string
  /** The deployment that the server belongs to. Absent: none. */
  deploymentId?: string
  limits: Limits
  answers: AnswerBudget
  pendingRuns: Pick<PendingRuns, 'requireRoom'>
  /** The LangSmith project that graphs trace to. Absent: no traces to LangSmith. */
  langSmithProject?: string
  clock: Clock
  log: Log
}

/** The API's configuration, besides its parts. */
export interface AppConfig extends DoorConfig {
  version: string
  /** Runyard's URL as clients see it. Default: the URL that the request was sent to. */
  publicUrl?: string
  /** Maximum size of a request body. Default 300 MiB. */
  maxBodyBytes?: number
  /** The project's own auth, instead of keys. */
  auth?: ProjectAuth
  /** The security scheme in the OpenAPI description. Default: the server's keys. */
  security?: OpenApiSecurity
  /** The project's own routes. */
  routes?: ProjectRoutes
  /** Allowed hosts and origins of a server without keys and auth. Absent: all. */
  openTo?: OpenTo
  /** Default: as without `http` in `langgraph.json`. */
  http?: HttpConfig
}
