/** Breakpoints: nodes before which a run is asked to stop. */
import type { GraphStates } from '../../core/agent/host/states.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { readGraphState } from '../state/read.ts'

/**
 * Whether an earlier attempt has stopped before a breakpoint and only its end is missing: to go on
 * from the checkpoint would pass it.
 */
export async function standsAtBreakpoint(graph: GraphStates, run: QueuedRun): Promise<boolean> {
  const { interrupt_before: before } = run.kwargs
  if (!before) return false
  const { next } = await readGraphState(graph, run.thread_id)
  return next.some((node) => before === '*' || before.includes(node))
}
