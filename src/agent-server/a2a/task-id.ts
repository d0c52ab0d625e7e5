/** Which task a run belongs to. Apart from the protocol's library, which every run would load. */
import type { QueuedRun } from '../../core/agent/run.ts'

/** In the metadata of a run that goes on with a task: the task's id, which is its first run's. */
export const TASK_ID_KEY = 'a2a_task_id'

export function taskIdOf({ run_id, metadata }: QueuedRun): string {
  const first = metadata[TASK_ID_KEY]
  return typeof first === 'string' ? first : run_id
}
