/** Why a graph failed. */
import { DatabaseAway, HostAway, HostLost } from '../../errors.ts'

export interface GraphFailure {
  /**
   * `graph`: the project's code, or LangGraph, refuses or breaks. The run is tried again after the others:
   * `database_away`: a call back found the database away. `host_lost`: the process that executed the graph
   * has ended. `host_away`: there is none at present, and nothing was begun.
   */
  kind: 'graph' | 'database_away' | 'host_lost' | 'host_away'
  /** The name of the error's class. */
  error: string
  message: string
  /** The run's answer does not fit the question, which stays open as it was. */
  isAnswerRefused?: boolean
  /** How the log tells it: an `Error` with its stack and causes, or JSON of the same. */
  thrown?: unknown
}

/** Of what was thrown, whatever that is. */
export function failureOf(thrown: unknown): GraphFailure {
  const kind = kindOf(thrown)
  if (thrown instanceof Error) return { kind, error: thrown.name, message: thrown.message, thrown }
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown }
  return { kind, error: String(name ?? 'Error'), message: String(message ?? thrown), thrown }
}

function kindOf(thrown: unknown): GraphFailure['kind'] {
  if (thrown instanceof DatabaseAway) return 'database_away'
  if (thrown instanceof HostLost) return 'host_lost'
  return thrown instanceof HostAway ? 'host_away' : 'graph'
}
