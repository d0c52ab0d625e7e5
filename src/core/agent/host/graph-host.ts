/**
 * The port for graph hosts: all that the agent server asks of a project's code.
 *
 * A host holds the graphs of one project, in this process (`graph/js`) or in another one, in whatever
 * language. Every value that passes is JSON or bytes, an `Error` with a name and a message, or a signal, so
 * that a host behind a socket can send it as it is. What a graph remembers is not the host's: it calls back
 * for checkpoints and for items of the store (`HostCalls`).
 *
 * An opened graph needs no closing. A host behind a socket may keep what a factory has made until nobody here
 * holds the opened graph any more.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { ProjectAuth } from './auth.ts'
import type { HostCalls } from './calls.ts'
import type { GraphDescriptions, GraphInfo } from './description.ts'
import type { Embed } from './embeddings.ts'
import type { ProjectRoutes } from './routes.ts'
import type { GraphRun, GraphRunRequest, RunCalls } from './run.ts'
import type { GraphStates } from './states.ts'

export interface GraphHost {
  /** What runs the graphs, once for each language, the first graph's first: which LangGraph it has. */
  readonly runtimes: readonly GraphRuntime[]
  /** By `graph_id`, in the order of `langgraph.json`. They do not change as long as the host lives. */
  readonly graphs: ReadonlyMap<string, GraphInfo>
  /** Absent: the project leaves it to the server who may use it. */
  readonly auth?: ProjectAuth
  /** The project's own routes and middleware; absent: it has none. */
  readonly routes?: ProjectRoutes
  /** What `store.index.embed` names; absent: items are not found by their meaning. */
  readonly embed?: Embed
  /**
   * Names whom the host calls back. Called once, before a graph is opened or a route asked. Answers what
   * takes it back: from then on the host calls nobody.
   */
  connect(calls: HostCalls): () => void
  /**
   * Makes the graph ready for one use. Where the project exports a factory, this calls it, with
   * `config`, and rejects with what it throws. With `checkpoints` the graph reads and writes these in
   * place of the host's own. Throws `not_found` for a graph that the project does not have.
   */
  open(graph_id: string, config: GraphConfig, checkpoints?: GraphCheckpoints): Promise<OpenGraph>
}

export interface GraphRuntime {
  language: 'js' | 'python'
  langgraphVersion: string
}

/** A graph, opened. All of its methods may be called more than once and at the same time. */
export interface OpenGraph extends GraphStates, GraphDescriptions {
  /**
   * Begins a run with the config that the graph was opened with. Answers at once; how it goes is told by
   * its emissions. `signal` asks it to stop; the reason is not the host's to read.
   */
  run(request: GraphRunRequest, calls: RunCalls, signal: AbortSignal): Promise<GraphRun>
}

/** LangChain's config in the words of the wire. Absent fields were not given. */
export interface GraphConfig {
  tags?: string[]
  recursion_limit?: number
  max_concurrency?: number
  run_name?: string
  metadata?: JsonObject
  /** `thread_id` and the other ids, what the client sent, and where a run begins (`checkpoint_id`, …). */
  configurable: JsonObject
  /** What the run's nodes are handed; absent where the graph is not opened for a run. */
  context?: JsonValue
}
