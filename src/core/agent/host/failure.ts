/** Why a graph failed. */
import { DatabaseAway, HostAway, HostLost } from '../../errors.ts'

export interface GraphFailure {
  /**
   * `graph`: the project's code, or LangGraph, failed. The other kinds are retried. `database_away`: a call back could
   * not reach the database. `host_lost`: the process that executed the graph ended. `host_away`: no host is running,
   * and nothing was begun.
   */
  kind: 'graph' | 'database_away' | 'host_lost' | 'host_away'
  /** The name of the error's class. */
  error: string
  message: string
  /** The run's answer does not fit the question, which stays open. */
  isAnswerRefused?: boolean
  /** For the log: an `Error` with its stack and causes, or the same as JSON. */
  thrown?: unknown
}

/** Describes any thrown value. */
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
