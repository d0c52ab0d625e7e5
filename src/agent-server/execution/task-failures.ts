/** What LangGraph leaves out of the stream: with which error a task has ended. */
import type { TaskFailures } from '../../graph/js/checkpoints/config.ts'
import type { Emission } from '../streams/source.ts'

/**
 * The emission with the `error` of the task whose result it tells; LangGraph tells of a task that has
 * failed as of one without a result. With durability "exit" nothing is known: tasks store nothing then.
 */
export function withFailure(emission: Emission, failures: TaskFailures): Emission {
  const { mode, payload } = emission
  if (failures.size === 0 || (mode !== 'tasks' && mode !== 'debug')) return emission
  if (mode === 'tasks') return { ...emission, payload: failed(payload, failures) }
  const told = payload as { type: string; payload: unknown }
  if (told.type !== 'task_result') return emission
  return { ...emission, payload: { ...told, payload: failed(told.payload, failures) } }
}

function failed(payload: unknown, failures: TaskFailures): unknown {
  const task = payload as { id: string; result?: unknown }
  const error = 'result' in task ? failures.get(task.id) : undefined
  return error === undefined ? task : { ...task, error }
}
