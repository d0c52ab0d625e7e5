/** The options of an agent server. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Authorize } from '../../core/agent/authorization.ts'
import type { GraphHost } from '../../core/agent/host/graph-host.ts'
import type { AgentMetrics } from '../../core/agent/server/metrics.ts'
import type { ProjectSettings, UiBundle } from '../../core/agent/server/project-settings.ts'
import type { ServerRole } from '../../core/agent/server/server.ts'
import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Place } from '../../core/origin.ts'
import type { Tracer } from '../../core/tracing.ts'
import type { WebhookSettings } from '../../webhook/webhooks.ts'
import type { AppConfig } from '../agent-server-parts.ts'
import type { Limits } from '../limits.ts'

export interface AgentServerOptions
  extends Omit<AppConfig, 'auth' | 'security' | 'routes' | 'http'> {
  /** An open store. The server does not close it. */
  store: AgentStore
  /** The project's graphs, loaded. */
  host: GraphHost
  /** The project's settings for the server. */
  config: ProjectSettings
  /** Bundled UI components by graph. Default: none. */
  ui?: ReadonlyMap<string, UiBundle>
  /** Config of the system assistants, by graph. Default: the project's settings. */
  graphConfigs?: Readonly<Record<string, JsonObject>>
  /** Authorizes every operation. Default: the project's auth; without one, everything is allowed. */
  authorize?: Authorize
  /** Limits on the server's load. Default for each: `DEFAULT_LIMITS`. */
  limits?: Partial<Limits>
  /** With `api` the server never claims a run. Default `all`. */
  role?: ServerRole
  /** The revision that the server belongs to. Absent: none. */
  revisionId?: string
  /** The deployment that the server belongs to, for `/info`. Absent: none. */
  deploymentId?: string
  /** How many runs execute at once. Default 32: graphs mostly wait for models. */
  concurrency?: number
  /** Time limit for each attempt of a run, in ms. Default 86,400,000: a day. */
  runTimeoutMs?: number
  /**
   * How long a run's code may continue after its abort, in ms. Then the server stops waiting for it, and its
   * writes are refused, since its lease is gone. Default 1,500.
   */
  abortLimitMs?: number
  /** How long the events of a run are kept after its end, in ms. Default 3,600,000: an hour. */
  eventRetentionMs?: number
  /** Collects metrics. Default: none. */
  metrics?: AgentMetrics
  /** Default: no traces. */
  tracer?: Tracer
  /** The operator's webhook settings. */
  webhooks?: WebhookSettings
  /** Whether graphs trace to LangSmith, for `/info` and runs. Default false. */
  isLangSmithUsed?: boolean
  /** The LangSmith project for runs that name none. Default: LangSmith's own, "default". */
  langSmithProject?: string
  /** Called just before each function of a node. */
  onNode?: (place: Place) => void
  /** How long a lost server keeps its runs, in ms. Default 15,000. */
  leaseMs?: number
  /** Poll interval for crons that another server left, in ms. Default 10,000. */
  cronPollMs?: number
  clock: Clock
  log: Log
}
