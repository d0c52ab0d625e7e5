/**
 * The port for graph hosts: how the agent server calls a project's code.
 *
 * A host holds the graphs of one project, in this process (`graph/js`) or in another one, in any language. Every value
 * that passes is JSON, bytes, a signal, or an `Error` with a name and a message, so a host behind a socket can send it
 * as it is. The host stores no state of graphs: it calls back for checkpoints and for items of the store (`HostCalls`).
 *
 * An opened graph needs no closing. A host behind a socket may keep the product of a factory until this process drops
 * the opened graph.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { ProjectAuth } from './auth.ts'
import type { Embed, HostCalls } from './calls.ts'
import type { GraphDescriptions, GraphInfo } from './description.ts'
import type { ProjectRoutes } from './project-routes.ts'
import type { GraphRun, GraphRunRequest, RunCalls } from './run.ts'
import type { GraphStates } from './states.ts'

export interface GraphHost {
  /** The LangGraph of each language, that of the first graph first. */
  readonly runtimes: readonly GraphRuntime[]
  /** By `graph_id`, in the order of `langgraph.json`. They never change while the host lives. */
  readonly graphs: ReadonlyMap<string, GraphInfo>
  /** Absent: the server decides who may call the project. */
  readonly auth?: ProjectAuth
  /** The project's own routes and middleware; absent: it has none. */
  readonly routes?: ProjectRoutes
  /** From `store.index.embed`; absent: items cannot be searched by meaning. */
  readonly embed?: Embed
  /**
   * Sets the receiver of the host's calls back. Called once, before a graph is opened or a route is called. Returns a
   * function that ends all calls back.
   */
  connect(calls: HostCalls): () => void
  /**
   * Makes the graph ready for one use. If the project exports a factory, this calls it with `config`, and rejects with
   * the factory's error. With `checkpoints` the graph reads and writes these instead of the host's own. Throws
   * `not_found` if the project has no such graph.
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
   * Starts a run with the config that the graph was opened with. Returns at once; the emissions report its progress.
   * `signal` asks it to stop; the host does not read its reason.
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
  /** `thread_id` and the other ids, what the client sent, and the start of a run (`checkpoint_id`, …). */
  configurable: JsonObject
  /** Passed to the run's nodes; absent if the graph is not opened for a run. */
  context?: JsonValue
}
