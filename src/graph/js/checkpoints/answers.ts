/** The answers that a task was given, where it has asked once more, or where the answer did not fit. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PendingWrite as GraphWrite } from '@langchain/langgraph-checkpoint'
import type { CheckpointRecord, PendingWrite } from '../../../core/agent/checkpoint.ts'

/** The channel of an answer. */
export const ANSWER = '__resume__'
/** Whose writes are no task's, but of the command that a run began with. */
const NO_TASK = '00000000-0000-0000-0000-000000000000'

/** What a task that has failed writes. */
export const FAILURE = '__error__'
/**
 * The node of LangChain's agents that asks for decisions about tool calls. It takes any answer, and fails where the decisions
 * do not fit. Were that answer kept, the node would fail with it forever.
 */
const DECIDING_NODE = 'HumanInTheLoopMiddleware.after_model'

/** Whether a task with these writes has failed because its answer does not fit: the answer is not to be kept. */
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
