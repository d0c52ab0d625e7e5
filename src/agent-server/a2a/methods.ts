/** The operations of the Agent2Agent protocol on one assistant, for one request. */

import { randomUUID } from 'node:crypto'
import {
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type Message,
  type SendMessageRequest,
  type SubscribeToTaskRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk'
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import type { Caller } from '../../core/agent/authorization.ts'
import type { PushVersion } from '../../core/agent/push-config.ts'
import type { RunCommand } from '../../core/agent/run.ts'
import type { Parts } from '../agent-server-parts.ts'
import { UuidSchema } from '../operations/ids.ts'
import { cancelRun, REQUESTED } from '../runs/cancel.ts'
import { createRun } from '../runs/run-creation.ts'
import { runRequest } from '../runs/run-request.ts'
import { listTasks } from './list.ts'
import { toInput, toResume } from './message.ts'
import { checkPushConfig, getPushConfig, listPushConfigs, putPushConfig } from './push-configs.ts'
import { asA2AErrors, isCurrentVersion } from './rpc.ts'
import { streamTask } from './stream.ts'
import { findTask, isOver, openQuestions, type TaskRun, viewTask } from './task.ts'
import { TASK_ID_KEY } from './task-id.ts'

interface A2AContext {
  parts: Parts
  caller: Caller
  card: AgentCard
  assistant_id: string
  /** Whether its graph has `messages`. */
  hasMessages: boolean
  /** Requests with the same key create one run. */
  idempotencyKey: string | undefined
  /** Aborts when the client leaves; the task goes on. */
  signal: AbortSignal
}

/** The handler that the library's JSON-RPC transports of both versions call. Throws only errors of the library. */
export function createA2AHandler(context: A2AContext): A2ARequestHandler {
  const { parts, card, signal } = context
  const answer = <T>(work: () => Promise<T>) => asA2AErrors(parts.log, work)
  return {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: async () => card,
    sendMessage: (request, call) => answer(() => sendMessage(context, request, call)),
    async *sendMessageStream(request, call) {
      const task = await answer(() => beginTask(context, request, call))
      yield* streamTask(parts, task, { signal, historyLength: historyOf(request) })
    },
    getTask: (request) => answer(() => getTask(context, request)),
    cancelTask: (request) => answer(() => cancelTask(context, request)),
    async *resubscribe(request) {
      const task = await answer(() => subscribable(context, request))
      yield* streamTask(parts, task, { signal, historyLength: undefined })
    },
    listTasks: (request) => answer(() => listTasks(parts, context, request)),
    createTaskPushNotificationConfig: (config, call) =>
      answer(async () => {
        const task = await pushedTask(context, config)
        return putPushConfig(parts, task, config, versionOf(call))
      }),
    getTaskPushNotificationConfig: (request) =>
      answer(async () => {
        const { task_id } = await pushedTask(context, request)
        return getPushConfig(parts, task_id, request.id)
      }),
    listTaskPushNotificationConfigs: (request) =>
      answer(async () => {
        const { task_id } = await pushedTask(context, request)
        return { configs: await listPushConfigs(parts, task_id), nextPageToken: '' }
      }),
    deleteTaskPushNotificationConfig: (request) =>
      answer(async () => {
        const { task_id } = await pushedTask(context, request)
        await parts.store.pushConfigs.delete(task_id, request.id)
      }),
  }
}

/** Waits for the run's end, unless the request has `returnImmediately`. */
async function sendMessage(
  context: A2AContext,
  request: SendMessageRequest,
  call: ServerCallContext,
): Promise<Task> {
  const { parts, signal } = context
  const { task_id, run } = await beginTask(context, request, call)
  if (!request.configuration?.returnImmediately) {
    await parts.events.waitForEnd(run.run_id, signal)
  }
  const now = (await parts.store.runs.get(run.run_id)) ?? run
  return viewTask(parts, { task_id, run: now }, historyOf(request))
}

function historyOf({ configuration }: SendMessageRequest): number | undefined {
  return configuration?.historyLength
}

/** The task of a request about push notifications. */
function pushedTask(
  { parts, caller, card, assistant_id }: A2AContext,
  { taskId }: { taskId: string },
) {
  if (!card.capabilities?.pushNotifications) throw new PushNotificationNotSupportedError()
  return findTask(parts, caller, assistant_id, taskId)
}

function versionOf({ requestedVersion }: ServerCallContext): PushVersion {
  return isCurrentVersion(requestedVersion) ? '1.0' : '0.3'
}

/** The task of a message. A push config that came with the message is stored with it. */
async function beginTask(
  context: A2AContext,
  request: SendMessageRequest,
  call: ServerCallContext,
): Promise<TaskRun> {
  const { parts, card } = context
  const push = request.configuration?.taskPushNotificationConfig
  if (push && !card.capabilities?.pushNotifications) throw new PushNotificationNotSupportedError()
  if (push) checkPushConfig(parts, push)
  const task = await taskOf(context, request)
  if (push) await putPushConfig(parts, task, push, versionOf(call))
  return task
}

/** A message without a task makes a task. With one, it answers the task's question or continues it. */
async function taskOf(context: A2AContext, request: SendMessageRequest): Promise<TaskRun> {
  const { message } = request
  if (!message || message.parts.length === 0) {
    throw new RequestMalformedError('message.parts must hold at least one part.')
  }
  if (message.taskId) return continueTask(context, message)
  const input = toInput(message, context)
  const run = await addRun(context, contextIdOf(message), { input })
  return { task_id: run.run_id, run }
}

async function continueTask(context: A2AContext, message: Message): Promise<TaskRun> {
  const { parts, caller, assistant_id } = context
  const task = await findTask(parts, caller, assistant_id, message.taskId)
  const { task_id, run } = task
  if (message.contextId && message.contextId.toLowerCase() !== run.thread_id) {
    throw new RequestMalformedError(`message.contextId is not that of the task: ${run.thread_id}.`)
  }
  const view = await viewTask(parts, task)
  if (isOver(view)) {
    throw new UnsupportedOperationError(
      `Task ${task_id} is over; send the message without taskId, with contextId ${run.thread_id}.`,
    )
  }
  const isAsking = view.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
  const given = isAsking
    ? await answerOf(context, task, message)
    : { input: toInput(message, context) }
  const metadata = { [TASK_ID_KEY]: task_id }
  return { task_id, run: await addRun(context, run.thread_id, { ...given, metadata }) }
}

/** Refuses a second concurrent answer. A breakpoint has no question: there the message becomes the input. */
async function answerOf(context: A2AContext, task: TaskRun, message: Message) {
  const open = await openQuestions(context.parts, task)
  const command: RunCommand =
    open.length > 0 ? { resume: toResume(message, open) } : { update: toInput(message, context) }
  return { command, multitask_strategy: 'reject' as const }
}

function addRun(
  { parts, caller, assistant_id, idempotencyKey }: A2AContext,
  thread_id: string,
  given: Omit<Parameters<typeof runRequest>[0], 'assistant_id'>,
) {
  const request = runRequest({
    ...given,
    assistant_id,
    stream_mode: ['messages-tuple', 'updates'],
    if_not_exists: 'create',
  })
  return createRun(parts, caller, thread_id, request, { idempotencyKey })
}

function contextIdOf({ contextId }: Message): string {
  if (!contextId) return randomUUID()
  const read = UuidSchema.safeParse(contextId)
  if (read.success) return read.data
  throw new RequestMalformedError('message.contextId must be a UUID: it is the id of a thread.')
}

async function getTask(context: A2AContext, request: GetTaskRequest): Promise<Task> {
  const { parts, caller, assistant_id } = context
  const task = await findTask(parts, caller, assistant_id, request.id)
  return viewTask(parts, task, request.historyLength)
}

async function cancelTask(context: A2AContext, { id }: CancelTaskRequest): Promise<Task> {
  const { parts, caller, assistant_id, signal } = context
  const task = await findTask(parts, caller, assistant_id, id)
  const { status } = await viewTask(parts, task, 0)
  const isGoing =
    status?.state === TaskState.TASK_STATE_SUBMITTED ||
    status?.state === TaskState.TASK_STATE_WORKING
  if (!isGoing) throw new TaskNotCancelableError(`Task ${task.task_id} is not running.`)
  const how = { action: 'interrupt', reason: REQUESTED, wait: signal } as const
  await cancelRun(parts, caller, task.run, how)
  return viewTask(parts, await findTask(parts, caller, assistant_id, id))
}

async function subscribable(
  { parts, caller, assistant_id }: A2AContext,
  { id }: SubscribeToTaskRequest,
): Promise<TaskRun> {
  const task = await findTask(parts, caller, assistant_id, id)
  if (!isOver(await viewTask(parts, task, 0))) return task
  throw new UnsupportedOperationError(`Task ${task.task_id} is over; tasks/get shows it.`)
}
