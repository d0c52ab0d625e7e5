/** What is said of runs that fail: the `error` of the run, and of the last event in its stream. */
import { MAX_RUN_ATTEMPTS, type RunError } from '../core/run.ts'

/** Of a run that lost its server, or the database, with every attempt. */
export function exhaustedError(): RunError {
  const message = `The server or its database stopped ${MAX_RUN_ATTEMPTS} times during this run.`
  return { error: 'RunAttemptsExhausted', message }
}

/** Of a run that took longer than an attempt may. */
export function timeoutError(limitMs: number): RunError {
  const message = `The run took longer than the ${limitMs / 1000} s that a run may take.`
  return { error: 'TimeoutError', message }
}

/** Of what a graph has thrown, whatever that is. */
export function describeError(error: unknown): RunError {
  if (error instanceof Error) return { error: error.name, message: error.message }
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown }
  return { error: String(name ?? 'Error'), message: String(message ?? error) }
}
