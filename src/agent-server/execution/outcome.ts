/** How an execution of a run ends, and the errors of failed runs: the run's `error`, also in the last event of its stream. */
import type { CancelAction, QueuedRun, RunError, StopOutcome } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'

export type Outcome =
  | { kind: 'success' }
  /** `cause`: the error that the graph threw. `isUntouched`: the run was refused before it changed its thread. */
  | { kind: 'error'; error: RunError; cause?: unknown; isUntouched?: true }
  | { kind: 'cancelled'; action: CancelAction; stop_outcome: StopOutcome }
  | { kind: 'timed_out'; error: RunError; stop_outcome: StopOutcome }

export function statusOf({ kind }: Outcome): 'success' | 'error' | 'interrupted' | 'timeout' {
  if (kind === 'cancelled') return 'interrupted'
  return kind === 'timed_out' ? 'timeout' : kind
}

/** Error of a run that lost its server, graph host or database in every attempt. */
export function exhaustedError({ attempt }: Pick<QueuedRun, 'attempt'>): RunError {
  const what = 'The server, its graph host or its database stopped'
  const message =
    attempt === 1
      ? `${what} during this run, which has one attempt.`
      : `${what} ${attempt} times during this run, the last time while no other run executed beside it.`
  return { error: 'RunAttemptsExhausted', message }
}

/** Error of a run that exceeded the time limit of an attempt. */
export function timeoutError(limitMs: number): RunError {
  const message = `The run took longer than the ${limitMs / 1000} s that a run may take.`
  return { error: 'TimeoutError', message }
}

/** Error of a run that its host reports as stopped although its signal has not aborted. */
export function stoppedUnasked(): AppError {
  return new AppError('internal', 'The graph host stopped a run without a request.')
}
