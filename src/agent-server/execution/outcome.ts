/** How an execution of a run ends. */
import type { CancelAction, RunError, StopOutcome } from '../../core/agent/run.ts'

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
