/** What happens to a new run while its thread still has runs that are pending or running. */
import type { CancelAction, RunStatus } from './run.ts'

export const MULTITASK_STRATEGIES = ['reject', 'enqueue', 'interrupt', 'rollback'] as const
export type MultitaskStrategy = (typeof MULTITASK_STRATEGIES)[number]

export const DEFAULT_MULTITASK_STRATEGY: MultitaskStrategy = 'enqueue'

interface ActiveRun {
  run_id: string
  status: RunStatus
}

/** What to do before the new run is added. */
export type MultitaskPlan =
  | { kind: 'reject' }
  | {
      kind: 'accept'
      /** Runs to end, in the order received: at once when pending, through their server when running. */
      cancel: { run_id: string; action: CancelAction; isRunning: boolean }[]
    }

/**
 * Decides over a new run from the thread's active runs. `reject` refuses it when there is any;
 * `enqueue` lets it wait for them; `interrupt` and `rollback` end them all first.
 * Source: facts, "multitask_strategy".
 */
export function planMultitask(strategy: MultitaskStrategy, active: ActiveRun[]): MultitaskPlan {
  if (active.length === 0 || strategy === 'enqueue') return { kind: 'accept', cancel: [] }
  if (strategy === 'reject') return { kind: 'reject' }
  return {
    kind: 'accept',
    cancel: active.map((run) => ({
      run_id: run.run_id,
      action: strategy,
      isRunning: run.status === 'running',
    })),
  }
}
