/** The current or last state of a node in the drawing. */
import { type Activity, type NodeTask, pathOf } from '../activity.ts'

export type NodeState = 'running' | 'done' | 'failed' | 'waits' | 'idle'

/** The last execution of the node. */
export function lastTask({ tasks }: Activity, id: string): NodeTask | undefined {
  return tasks.findLast((task) => pathOf(task) === id)
}

/** `next`: the nodes that come next on the thread. */
export function stateOfNode(activity: Activity, id: string, next: readonly string[]): NodeState {
  const task = lastTask(activity, id)
  if (task?.isRunning) return 'running'
  if (next.includes(id) && !task?.error) return 'waits'
  if (!task) return 'idle'
  if (task.error) return 'failed'
  // The interrupt stays on record after its answer.
  return task.hasInterrupt && task.wrote === undefined ? 'waits' : 'done'
}

export const STATE_WORDS: Record<NodeState, string> = {
  running: 'runs now',
  done: 'has run',
  failed: 'failed',
  waits: 'waits',
  idle: 'has not run',
}
