/**
 * Runtime drivers: what runs an agent server. The process driver starts it as a child process.
 *
 * ```
 * absent ──start──▶ starting ──/ok──▶ healthy ──stop──▶ absent
 *                      │  ▲               │
 *                      │  └── restarting ◀┘ it died after it had been healthy; back-off, then again
 *                      └──▶ failed        it died, or was not healthy in time, before it ever was
 * ```
 */
import type { JsonObject } from './json.ts'
import type { Secret } from './revision.ts'

/** What is to run. */
export interface RuntimeSpec {
  revision_id: string
  deployment_id: string
  deployment_name: string
  /** Absolute path of the built project's `langgraph.json`. */
  configPath: string
  /** The Node binary to run it on; absolute. `null`: Runyard's own. */
  nodePath: string | null
  secrets: Secret[]
  resource_spec: JsonObject | null
}

export type RuntimeState =
  | { kind: 'absent' }
  | { kind: 'starting' }
  | { kind: 'healthy'; endpoint: Endpoint }
  /** It was healthy and died; the driver starts it again. `reason` says how it died. */
  | { kind: 'restarting'; reason: string; restarts: number }
  /** It never became healthy; the driver does not try again. `reason` holds its last log lines. */
  | { kind: 'failed'; reason: string }

/** Where the gateway reaches an agent server. */
export interface Endpoint {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** Sent as `x-runyard-gateway`: the agent server answers nobody else. */
  token: string
}

export interface RuntimeDriver {
  /** Begins; does nothing where the revision is there already and has not failed. */
  start(spec: RuntimeSpec): Promise<void>
  observe(revision_id: string): RuntimeState
  /** Asks it to end, waits up to `graceMs`, then kills. Does nothing where there is none. */
  stop(revision_id: string, graceMs: number): Promise<void>
  /** Calls back after each change of state. Answers how to unsubscribe. */
  onChange(listener: (revision_id: string) => void): () => void
  /** Ends all of it. */
  stopAll(graceMs: number): Promise<void>
}
