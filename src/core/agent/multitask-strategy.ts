/** What happens to a new run while its thread still has runs that are pending or running. */

export const MULTITASK_STRATEGIES = ['reject', 'enqueue', 'interrupt', 'rollback'] as const
export type MultitaskStrategy = (typeof MULTITASK_STRATEGIES)[number]

export const DEFAULT_MULTITASK_STRATEGY: MultitaskStrategy = 'enqueue'

/** What to do with a new run, and first with the thread's active ones. */
type MultitaskPlan =
  | { kind: 'reject' }
  | { kind: 'accept' }
  /** Accept it, after asking all active runs of the thread to end. */
  | { kind: 'supersede'; action: 'interrupt' | 'rollback' }

/**
 * Decides about a new run. `isBusy`: the thread has runs that are pending or running. Then `reject`
 * refuses the new run, `enqueue` lets it wait for the others, and `interrupt` and `rollback` end the
 * others first. LangGraph Server does the same.
 */
export function planMultitask(strategy: MultitaskStrategy, isBusy: boolean): MultitaskPlan {
  if (!isBusy || strategy === 'enqueue') return { kind: 'accept' }
  if (strategy === 'reject') return { kind: 'reject' }
  return { kind: 'supersede', action: strategy }
}
