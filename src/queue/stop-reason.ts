/** Why a run's execution is stopped before its graph has ended. */
import type { CancelAction } from '../core/agent/run.ts'

/** The `reason` of the abort signal that `execute` gets. */
export type StopReason =
  /** The run was cancelled: the executor ends it as the action says. */
  | { kind: 'cancelled'; action: CancelAction }
  /** Another server has the run, or the run is gone: write nothing more. */
  | { kind: 'lease_lost' }
  /** This server stops: write no end. The queue hands the run back. */
  | { kind: 'shutdown' }

/** The reason with which the queue aborted `signal`. `undefined`: it did not. */
export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}
