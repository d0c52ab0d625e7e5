/**
 * Tasks of the Agent2Agent protocol: a context is a thread; a task is a run of it and, if the run
 * stopped with a question, the runs that continued with the answers.
 *
 * ```
 * submitted ──▶ working ──▶ completed            pending, running, success
 *                 │  ▲  └──▶ failed, canceled    error and timeout, interrupted
 *                 ▼  └──answer──┐
 *              input-required ──┘                success, but the thread is interrupted
 * ```
 */
import { type Artifact, type Message, Role, type Task, TaskState } from '@a2a-js/sdk'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'
import type { Caller } from '../../core/agent/authorization.ts'
import { isTerminal, type QueuedRun, type RunStatus } from '../../core/agent/run.ts'
import type { Interrupt, Thread } from '../../core/agent/thread.ts'
import type { WebhookEnd } from '../../core/agent/webhook.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { finalValues } from '../runs/run-on-wire.ts'
import { listRuns } from '../runs/runs.ts'
import { type ChainMessage, dataPart, textPart, toParts } from './message.ts'
import { taskIdOf } from './task-id.ts'

/** How many messages of the thread a task shows: by default, and at most. */
const DEFAULT_HISTORY = 10
const MAX_HISTORY = 100
/** How many of a thread's last runs are searched for those of a task. */
export const RUNS_READ = 100

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A task's id and its latest run. */
export interface TaskRun {
  task_id: string
  run: QueuedRun
}

/** Throws `TaskNotFoundError`, also for a run of another assistant. */
export async function findTask(
  parts: Parts,
  caller: Caller,
  assistant_id: string,
  id: string,
): Promise<TaskRun> {
  const named = UUID.test(id) ? await parts.store.runs.get(id.toLowerCase()) : undefined
  if (named?.assistant_id !== assistant_id) throw taskNotFound(id)
  const task_id = taskIdOf(named)
  const page = { limit: RUNS_READ, offset: 0 }
  const runs = await listRuns(parts, caller, named.thread_id, page)
  return { task_id, run: runs.find((run) => taskIdOf(run) === task_id) ?? named }
}

function taskNotFound(id: string): Error {
  return new TaskNotFoundError(`Task not found: ${id.slice(0, 100)}`)
}

/** The state at the run's end, or the thread's current state while the run goes on. */
interface Standing {
  state: TaskState
  values: JsonObject
  interrupts: Interrupt[]
  /** Why it failed or was cancelled. */
  reason: string | undefined
}

/** The task as clients see it. `historyLength` in messages, at most 100; absent: 10. */
export async function viewTask(
  parts: Parts,
  task: TaskRun,
  historyLength = DEFAULT_HISTORY,
): Promise<Task> {
  return taskAt(task, await standingOf(parts, task.run), historyLength)
}

/** The task after its run has ended with `end`. */
export function taskAtEnd(
  task: TaskRun,
  { status, error, values = {}, next = [] }: WebhookEnd,
): Task {
  const interrupts = (values.__interrupt__ ?? []) as unknown as Interrupt[]
  const isWaiting = status === 'success' && (interrupts.length > 0 || next.length > 0)
  const state = isWaiting ? WAITING : STATES[status === 'rollback' ? 'interrupted' : status]
  const reason = reasonOf({ ...task.run, error: error ?? task.run.error })
  return taskAt(task, { state, values, interrupts, reason }, DEFAULT_HISTORY)
}

function taskAt({ task_id, run }: TaskRun, standing: Standing, historyLength: number): Task {
  const ids = { taskId: task_id, contextId: run.thread_id }
  const { state, values } = standing
  const isComplete = state === TaskState.TASK_STATE_COMPLETED
  return {
    id: task_id,
    contextId: run.thread_id,
    status: { state, message: statusMessage(standing, ids, run), timestamp: run.updated_at },
    artifacts: isComplete ? artifactsOf(run, values) : [],
    history: historyOf(values, ids, Math.min(Math.max(historyLength, 0), MAX_HISTORY)),
    metadata: { assistant_id: run.assistant_id, run_id: run.run_id, thread_id: run.thread_id },
  }
}

/** The task's open questions. */
export async function openQuestions(parts: Parts, { run }: TaskRun): Promise<Interrupt[]> {
  return (await standingOf(parts, run)).interrupts
}

export function isOver(task: Task): boolean {
  const over = [
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_REJECTED,
  ]
  return over.some((state) => state === task.status?.state)
}

async function standingOf(parts: Parts, run: QueuedRun): Promise<Standing> {
  const { run_id, thread_id, status } = run
  const thread = await parts.store.threads.get(thread_id)
  if (!isTerminal(status)) {
    const values = thread?.values ?? {}
    return { state: STATES[status], values, interrupts: [], reason: undefined }
  }
  const end = await parts.events.waitForEnd(run_id, AbortSignal.timeout(END_MS))
  const values = end.values ?? finalValues(await parts.store.threads.getState(thread_id), status)
  const interrupts = (values.__interrupt__ ?? []) as unknown as Interrupt[]
  const isWaiting = interrupts.length > 0 || (await stoppedAtBreakpoint(parts, run, thread))
  const state = status === 'success' && isWaiting ? WAITING : STATES[status]
  return {
    state,
    values,
    interrupts,
    reason: reasonOf({ ...run, error: run.error ?? end.error ?? null }),
  }
}

/** Time limit for reading the end event of a run that is over, in ms. The event is already in the log. */
const END_MS = 30_000
const WAITING = TaskState.TASK_STATE_INPUT_REQUIRED

const STATES: Record<RunStatus, TaskState> = {
  pending: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  success: TaskState.TASK_STATE_COMPLETED,
  error: TaskState.TASK_STATE_FAILED,
  timeout: TaskState.TASK_STATE_FAILED,
  interrupted: TaskState.TASK_STATE_CANCELED,
}

async function stoppedAtBreakpoint(
  parts: Parts,
  { run_id, thread_id }: QueuedRun,
  thread: Thread | undefined,
): Promise<boolean> {
  if (thread?.status !== 'interrupted') return false
  return (await parts.store.runs.latest(thread_id))?.run_id === run_id
}

function reasonOf({ cancel_reason, error }: QueuedRun): string | undefined {
  return error ? `${error.error}: ${error.message}` : (cancel_reason ?? undefined)
}

interface Ids {
  taskId: string
  contextId: string
}

function statusMessage(
  { state, interrupts, reason }: Standing,
  ids: Ids,
  { run_id }: QueuedRun,
): Message | undefined {
  if (state === WAITING) {
    const asked = interrupts.map(({ value }) => textPart(questionOf(value)))
    const waiting = asked.length > 0 ? asked : [textPart('The agent waits to be told to go on.')]
    const data = dataPart({ interrupts: interrupts.map((one) => ({ ...one })) })
    return agentMessage(`${run_id}-status`, ids, [...waiting, data])
  }
  return reason === undefined
    ? undefined
    : agentMessage(`${run_id}-status`, ids, [textPart(reason)])
}

function questionOf(value: unknown): string {
  const asked = isObject(value) ? (value.question ?? value.message ?? value) : value
  return typeof asked === 'string' ? asked : JSON.stringify(asked ?? null)
}

/** The agent's answer: its last message, and the rest of the state. */
function artifactsOf({ run_id }: QueuedRun, values: JsonObject): Artifact[] {
  const { messages: _, ...rest } = values
  const answer = messagesIn(values).findLast(({ type }) => type === 'ai' || type === 'human')
  const said = answer?.type === 'ai' ? toParts(answer.content) : []
  const parts = Object.keys(rest).length > 0 ? [...said, dataPart(rest)] : said
  return parts.length > 0 ? [artifactOf(run_id, parts)] : []
}

/** The run's answer: in pieces while it runs, whole at its end. */
export function artifactOf(run_id: string, parts: Artifact['parts']): Artifact {
  return {
    artifactId: run_id,
    name: 'response',
    description: '',
    parts,
    metadata: undefined,
    extensions: [],
  }
}

function historyOf(values: JsonObject, ids: Ids, length: number): Message[] {
  const messages = messagesIn(values).flatMap(({ id, type, content }, place) => {
    const parts = toParts(content)
    const isSaid = (type === 'human' || type === 'ai') && parts.length > 0
    if (!isSaid) return []
    const message = agentMessage(id ?? `${ids.taskId}-${place}`, ids, parts)
    return [type === 'human' ? { ...message, role: Role.ROLE_USER } : message]
  })
  return length === 0 ? [] : messages.slice(-length)
}

function messagesIn({ messages }: JsonObject): ChainMessage[] {
  return Array.isArray(messages) ? messages.filter(isObject) : []
}

function agentMessage(messageId: string, ids: Ids, parts: Message['parts']): Message {
  return {
    messageId,
    ...ids,
    role: Role.ROLE_AGENT,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}
