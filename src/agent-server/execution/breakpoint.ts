/** Breakpoints: nodes before which a run stops on request. */
import type { GraphStates } from '../../core/agent/host/states.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { readGraphState } from '../threads/state.ts'

/**
 * Whether an earlier attempt has stopped before a breakpoint and only the run's end is missing.
 * Continuing from the checkpoint would run past the breakpoint.
 */
export async function standsAtBreakpoint(graph: GraphStates, run: QueuedRun): Promise<boolean> {
  const { interrupt_before: before } = run.kwargs
  if (!before) return false
  const { next } = await readGraphState(graph, run.thread_id)
  return next.some((node) => before === '*' || before.includes(node))
}
