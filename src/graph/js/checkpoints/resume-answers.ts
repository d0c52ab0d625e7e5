/** Answers to a task that asks once more, or that refuses its answer. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PendingWrite as GraphWrite } from '@langchain/langgraph-checkpoint'
import type { CheckpointRecord, PendingWrite } from '../../../core/agent/checkpoint.ts'

/** The channel of an answer. */
export const ANSWER = '__resume__'
/** The task id of writes that belong to the run's initial command, not to a task. */
const NO_TASK = '00000000-0000-0000-0000-000000000000'

/** The channel for the error of a failed task. */
export const FAILURE = '__error__'
/**
 * The node of LangChain's agents that asks for decisions about tool calls. It takes any answer, and fails where the
 * decisions do not fit. Were that answer kept, the node would fail with it forever.
 */
const DECIDING_NODE = 'HumanInTheLoopMiddleware.after_model'

/** Whether a task with these writes failed because its answer does not fit: then the answer must not be kept. */
export function refusesAnswer(taskPath: string, writes: readonly GraphWrite[]): boolean {
  const has = (channel: string) => writes.some(([name]) => name === channel)
  return taskPath.includes(DECIDING_NODE) && has(FAILURE) && has(ANSWER)
}

const INVALID_RESUME = Symbol.for('langgraph.invalid_resume')

/** Whether an answer was refused by the schema of its question. Source: `isInvalidResume` of LangGraph 1.7. */
export function isInvalidResume(thrown: unknown): boolean {
  let one = thrown as { [INVALID_RESUME]?: unknown; cause?: unknown } | undefined
  for (let depth = 0; depth < MAX_CAUSES && one; depth += 1) {
    if (one[INVALID_RESUME] === true) return true
    one = one.cause as typeof one
  }
  return false
}

/** Errors may be causes of each other. */
const MAX_CAUSES = 10

const withoutAnswers = new AsyncLocalStorage<true>()

/**
 * Hides the answers of tasks in checkpoints that `work` reads. When LangGraph computes a state, it takes an answer for
 * the task's result: a task that asks once more would not be next, and the thread would not count as interrupted. A run
 * needs the answers.
 */
export function forgettingAnswers<T>(work: () => Promise<T>): Promise<T> {
  return withoutAnswers.run(true, work)
}

/** The record, without answers inside of `forgettingAnswers`. */
export function asAsked(record: CheckpointRecord): CheckpointRecord {
  if (!withoutAnswers.getStore()) return record
  return { ...record, writes: record.writes.filter((write) => !isAnswer(write)) }
}

function isAnswer({ channel, task_id }: PendingWrite): boolean {
  return channel === ANSWER && task_id !== NO_TASK
}
