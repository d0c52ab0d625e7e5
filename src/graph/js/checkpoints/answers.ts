/** The answers that a task was given, where it has asked once more. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CheckpointRecord, PendingWrite } from '../../../core/agent/checkpoint.ts'

/** The channel of an answer. */
export const ANSWER = '__resume__'
/** Whose writes are no task's, but of the command that a run began with. */
const NO_TASK = '00000000-0000-0000-0000-000000000000'

const withoutAnswers = new AsyncLocalStorage<true>()

/**
 * Has `work` find checkpoints without the answers to their tasks. When LangGraph tells a state it takes an answer for
 * the result of its task: nothing would come next where a task asks once more, and the thread would not count as
 * interrupted. A run needs them.
 */
export function forgettingAnswers<T>(work: () => Promise<T>): Promise<T> {
  return withoutAnswers.run(true, work)
}

/** The record as it is to be found here. */
export function asAsked(record: CheckpointRecord): CheckpointRecord {
  if (!withoutAnswers.getStore()) return record
  return { ...record, writes: record.writes.filter((write) => !isAnswer(write)) }
}

function isAnswer({ channel, task_id }: PendingWrite): boolean {
  return channel === ANSWER && task_id !== NO_TASK
}
