/** Why a run's execution is told to stop before its graph has ended. */
import type { CancelAction } from '../core/agent/run.ts'

/** The `reason` of the abort signal that `execute` is given. */
export type StopReason =
  /** Someone asked for the run's end: the executor ends it as the action says. */
  | { kind: 'cancelled'; action: CancelAction }
  /** Another server has the run, or it is gone: write nothing more. */
  | { kind: 'lease_lost' }
  /** This server stops: write nothing final; the queue hands the run back. */
  | { kind: 'shutdown' }

/** The reason that the queue aborted `signal` with; `undefined` while it has not. */
export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}
