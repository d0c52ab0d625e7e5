/** Adds what LangGraph leaves out of the stream: the error that ended a task. */
import type { TaskFailures } from '../checkpoints/config.ts'
import type { GraphChunk } from './source.ts'

/**
 * The chunk, with the `error` of the task whose result it reports; LangGraph reports a failed task as one without a
 * result. With durability "exit" no error is known: tasks store nothing then.
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
