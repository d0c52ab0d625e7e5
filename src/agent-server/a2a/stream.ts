/** Streams a task: converts the events of its run to those of the Agent2Agent protocol. */
import { type StreamResponse, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk'
import { isEnd } from '../../core/agent/event.ts'
import type { Parts } from '../agent-server-parts.ts'
import { type ChainMessage, textIn, textPart } from './message.ts'
import { artifactOf, isOver, type TaskRun, viewTask } from './task.ts'

/**
 * Yields the task, then its updates: the working status, pieces of the model's text, the whole answer
 * and the final status. A piece with `append: false` starts a new text. If the task is over or waits for
 * an answer, yields only the task. Rejects with the signal's reason, and when the log stops.
 */
export async function* streamTask(
  parts: Parts,
  task: TaskRun,
  options: { signal: AbortSignal; historyLength: number | undefined },
): AsyncGenerator<StreamResponse, void, undefined> {
  const { run_id } = task.run
  const view = await viewTask(parts, task, options.historyLength)
  yield { payload: { $case: 'task', value: view } }
  if (isOver(view) || view.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) return
  const pieces = new Pieces(run_id, view)
  for await (const event of parts.events.follow(run_id, { after: -1, signal: options.signal })) {
    if (isEnd(event)) break
    if (event.event === 'metadata') yield statusUpdate(view, working(event.created_at))
    const piece = event.event === 'messages' ? pieces.of(JSON.parse(event.data)) : undefined
    if (piece) yield piece
  }
  yield* ending(parts, task)
}

async function* ending(
  parts: Parts,
  { task_id, run }: TaskRun,
): AsyncGenerator<StreamResponse, void, undefined> {
  const ended = await parts.store.runs.get(run.run_id)
  const task = await viewTask(parts, { task_id, run: ended ?? { ...run, status: 'interrupted' } })
  const { id: taskId, contextId } = task
  for (const artifact of task.artifacts) {
    const whole = { append: false, lastChunk: true, metadata: undefined }
    yield {
      payload: { $case: 'artifactUpdate', value: { taskId, contextId, artifact, ...whole } },
    }
  }
  if (task.status) yield statusUpdate(task, task.status)
}

function statusUpdate({ id: taskId, contextId }: Task, status: TaskStatus): StreamResponse {
  return {
    payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } },
  }
}

function working(at: number): TaskStatus {
  const state = TaskState.TASK_STATE_WORKING
  return { state, message: undefined, timestamp: new Date(at).toISOString() }
}

/** Types of model messages; LangChain for Python has a separate type for pieces. */
const PIECE_TYPES = ['ai', 'AIMessageChunk']

/** Converts pieces of model messages to artifact updates; each message restarts the artifact. */
class Pieces {
  readonly #run_id: string
  readonly #ids: { taskId: string; contextId: string }
  #message: string | undefined

  constructor(run_id: string, { id: taskId, contextId }: Task) {
    this.#run_id = run_id
    this.#ids = { taskId, contextId }
  }

  of([message]: [ChainMessage, unknown]): StreamResponse | undefined {
    const text = PIECE_TYPES.includes(String(message.type)) ? textIn(message.content) : ''
    if (text === '') return undefined
    const append = this.#message !== undefined && this.#message === message.id
    this.#message = message.id
    const artifact = artifactOf(this.#run_id, [textPart(text)])
    const piece = { append, lastChunk: false, metadata: undefined }
    return { payload: { $case: 'artifactUpdate', value: { ...this.#ids, artifact, ...piece } } }
  }
}
