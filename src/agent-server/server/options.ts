/** What an agent server is made of, and what may be chosen of it. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Authorize } from '../../core/agent/authorization.ts'
import type { GraphHost } from '../../core/agent/host/graph-host.ts'
import type { AgentMetrics } from '../../core/agent/server/metrics.ts'
import type { ProjectSettings } from '../../core/agent/server/project-settings.ts'
import type { ServerRole } from '../../core/agent/server/role.ts'
import type { UiBundle } from '../../core/agent/ui-bundle.ts'
import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Place } from '../../core/origin.ts'
import type { Tracer } from '../../core/tracing.ts'
import type { WebhookSettings } from '../../webhook/webhooks.ts'
import type { DoorConfig } from '../access/door.ts'
import type { OpenTo } from '../access/open-door.ts'
import type { Limits } from '../limits.ts'

export interface AgentServerOptions extends DoorConfig {
  /** Open; it is not closed here. */
  store: AgentStore
  /** The project's graphs, loaded. */
  host: GraphHost
  /** What the project says of its server. */
  config: ProjectSettings
  /** The bundled components of each graph that has some. Default: none has. */
  ui?: ReadonlyMap<string, UiBundle>
  /** Runyard's version, for `/info`. */
  version: string
  /** Where clients see Runyard, for agents' cards; absent: where a request was sent to. */
  publicUrl?: string
  /** What the graphs' own assistants are configured with, by graph. Default: as the project says. */
  graphConfigs?: Readonly<Record<string, JsonObject>>
  /** Decides over every operation. Default: the project's auth; without one everything is allowed. */
  authorize?: Authorize
  /** The largest request that is read, in bytes. Default 300 MiB. */
  maxBodyBytes?: number
  /** Of a server without keys and auth: whom it answers. Absent: everyone who comes to it. */
  openTo?: OpenTo
  /** How much it takes on. Default: `DEFAULT_LIMITS`, each by itself. */
  limits?: Partial<Limits>
  /** With `api` it never claims a run. Default `all`. */
  role?: ServerRole
  /** Of which deployment's revision it is. Absent: of none. */
  revisionId?: string
  /** Of which deployment it is, for `/info`. Absent: of none. */
  deploymentId?: string
  /** How many runs execute at once. Default 32: graphs mostly wait for models. */
  concurrency?: number
  /** How long a run may take, each attempt by itself, in ms. Default 86,400,000: a day. */
  runTimeoutMs?: number
  /**
   * How long the code of a run may go on after it was told to stop, in ms. Then nobody waits for it, and its
   * writes are refused, since its lease is gone by then. Default 1,500.
   */
  abortLimitMs?: number
  /** How long the events of a run are kept after its end, in ms. Default 3,600,000: an hour. */
  eventRetentionMs?: number
  /** Adds up what happens. Default: nobody does. */
  metrics?: AgentMetrics
  /** Default: nothing is traced. */
  tracer?: Tracer
  /** What the operator says of webhooks. */
  webhooks?: WebhookSettings
  /** Whether graphs trace to LangSmith, for `/info` and runs. Default false. */
  isLangSmithUsed?: boolean
  /** The project to which they trace where a run names none. Default: LangSmith's own, "default". */
  langSmithProject?: string
  /** Hears of each function of a node just before it is called. */
  onNode?: (place: Place) => void
  /** How long a lost server keeps its runs, in ms. Default 15,000. */
  leaseMs?: number
  /** How often to look for crons that another server left, in ms. Default 10,000. */
  cronPollMs?: number
  clock: Clock
  log: Log
}
