/** What LangGraph leaves out of the stream: with which error a task has ended. */
import type { TaskFailures } from '../checkpoints/config.ts'
import type { GraphChunk } from './source.ts'

/**
 * The same with the `error` of the task whose result it tells; LangGraph tells of a task that has
 * failed as of one without a result. With durability "exit" nothing is known: tasks store nothing then.
 */
export function withFailure(told: GraphChunk, failures: TaskFailures): GraphChunk {
  const { mode, payload } = told
  if (failures.size === 0 || (mode !== 'tasks' && mode !== 'debug')) return told
  if (mode === 'tasks') return { ...told, payload: failed(payload, failures) }
  const debug = payload as { type: string; payload: unknown }
  if (debug.type !== 'task_result') return told
  return { ...told, payload: { ...debug, payload: failed(debug.payload, failures) } }
}

function failed(payload: unknown, failures: TaskFailures): unknown {
  const task = payload as { id: string; result?: unknown }
  const error = 'result' in task ? failures.get(task.id) : undefined
  return error === undefined ? task : { ...task, error }
}
