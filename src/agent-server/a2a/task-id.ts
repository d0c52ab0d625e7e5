/** Finds the task of a run. A separate file, so that runs do not load the protocol's library. */
import type { QueuedRun } from '../../core/agent/run.ts'

/** Metadata key of runs that continue a task. The value is the task's id, which is its first run's id. */
export const TASK_ID_KEY = 'a2a_task_id'

export function taskIdOf({ run_id, metadata }: QueuedRun): string {
  const first = metadata[TASK_ID_KEY]
  return typeof first === 'string' ? first : run_id
}
