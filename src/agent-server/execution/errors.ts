/** What is said of runs that fail: the `error` of the run, and of the last event in its stream. */
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'

/** Of a run that lost its server, or the database, with every attempt. */
export function exhaustedError({ attempt }: Pick<QueuedRun, 'attempt'>): RunError {
  const what = 'The server, its graph host or its database stopped'
  const message =
    attempt === 1
      ? `${what} during this run, which has one attempt.`
      : `${what} ${attempt} times during this run, the last time while no other run executed beside it.`
  return { error: 'RunAttemptsExhausted', message }
}

/** Of a run that took longer than an attempt may. */
export function timeoutError(limitMs: number): RunError {
  const message = `The run took longer than the ${limitMs / 1000} s that a run may take.`
  return { error: 'TimeoutError', message }
}

/** Of a run whose host says that it was stopped, while its signal has not aborted. */
export function stoppedByNobody(): AppError {
  return new AppError('internal', 'The graph host stopped a run that nobody stopped.')
}
