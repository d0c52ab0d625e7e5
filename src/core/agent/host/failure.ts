/** Why a graph failed. */
import { DatabaseAway } from '../../errors.ts'

export interface GraphFailure {
  /**
   * `graph`: the project's code, or LangGraph, refuses or breaks. `database_away`: a call back found the
   * database away; the run is not to blame, and is tried again.
   */
  kind: 'graph' | 'database_away'
  /** The name of the error's class. */
  error: string
  message: string
  /** How the log tells it: an `Error` with its stack and causes, or JSON of the same. */
  thrown?: unknown
}

/** Of what was thrown, whatever that is. */
export function failureOf(thrown: unknown): GraphFailure {
  const kind = thrown instanceof DatabaseAway ? 'database_away' : 'graph'
  if (thrown instanceof Error) return { kind, error: thrown.name, message: thrown.message, thrown }
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown }
  return { kind, error: String(name ?? 'Error'), message: String(message ?? thrown), thrown }
}
