/** Push notifications of the Agent2Agent protocol: stores a task's push configs and queues their deliveries. */
import { randomUUID } from 'node:crypto'
import { type Task, TaskPushNotificationConfig } from '@a2a-js/sdk'
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server'
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server'
import { z } from 'zod'
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { PushConfig, PushVersion } from '../../core/agent/push-config.ts'
import { isTerminal, type QueuedRun } from '../../core/agent/run.ts'
import { DELIVERY_ATTEMPTS, type WebhookEnd } from '../../core/agent/webhook.ts'
import { timestamp } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { type TaskRun, taskAtEnd, viewTask } from './task.ts'
import { taskIdOf } from './task-id.ts'

/** How many push configs one task may have. */
const MAX_CONFIGS = 20

const SERIALIZERS = {
  '0.3': new V03PushNotificationSerializer(),
  '1.0': new V1PushNotificationSerializer(),
}

/** A valid header value. */
const HeaderText = z
  .string()
  .max(8_192)
  .regex(/^[\x20-\x7e]*$/, 'only printable ASCII')
const Config = z.object({
  id: z.string().max(256),
  url: z.string().regex(/^https?:/i, 'give a whole http or https URL'),
  token: HeaderText,
  authentication: z.object({ scheme: HeaderText, credentials: HeaderText }).optional(),
})

/** Refuses a config that could not receive a notification. Throws `invalid`, `RequestMalformedError`. */
export function checkPushConfig(parts: Parts, config: TaskPushNotificationConfig): void {
  const read = Config.safeParse(config)
  if (!read.success) {
    const [issue] = read.error.issues
    throw new RequestMalformedError(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  parts.webhooks.check(config.url)
}

/**
 * Stores a config of a task and replaces the one with its id. If the task's run has ended, the notification is
 * queued at once, else when the run ends.
 */
export async function putPushConfig(
  parts: Parts,
  task: TaskRun,
  given: TaskPushNotificationConfig,
  version: PushVersion,
): Promise<TaskPushNotificationConfig> {
  checkPushConfig(parts, given)
  const config = { ...given, id: given.id || randomUUID(), taskId: task.task_id }
  const { task_id } = task
  const { thread_id, run_id } = task.run
  const record: PushConfig = {
    ...{ task_id, config_id: config.id, thread_id, version },
    created_at: timestamp(parts.clock),
    config: TaskPushNotificationConfig.toJSON(config) as JsonObject,
  }
  // An ended run stays ended. If the run ends between the two reads, the next round sees that.
  while (!(await putWhere(parts, record, run_id, await standing(parts, task_id, run_id)))) {}
  return config
}

/** The task and its run, if the run has ended. `undefined`: it has not. */
async function standing(parts: Parts, task_id: string, run_id: string) {
  const run = await parts.store.runs.get(run_id)
  if (!run || !isTerminal(run.status)) return undefined
  return { run, task: await viewTask(parts, { task_id, run }) }
}

/** `false`: the run has ended meanwhile, so this config would miss its end. */
async function putWhere(
  parts: Parts,
  record: PushConfig,
  run_id: string,
  stands: { run: QueuedRun; task: Task } | undefined,
): Promise<boolean> {
  const { task_id, config_id, thread_id } = record
  const isPut = await parts.store.transaction(
    async (tx) => {
      const run = await tx.runs.get(run_id)
      if (!stands && run && isTerminal(run.status)) return false
      const others = (await tx.pushConfigs.list(task_id)).filter(
        (one) => one.config_id !== config_id,
      )
      if (others.length >= MAX_CONFIGS) {
        throw new RequestMalformedError(`A task has ${MAX_CONFIGS} push configs at most.`)
      }
      await tx.pushConfigs.put(record)
      if (stands) await enqueue(tx, stands.run, stands.task, record)
      return true
    },
    [lockOf('thread', thread_id)],
  )
  if (isPut && stands) parts.webhooks.wake()
  return isPut
}

export async function listPushConfigs(
  { store }: Parts,
  task_id: string,
): Promise<TaskPushNotificationConfig[]> {
  const configs = await store.pushConfigs.list(task_id)
  return configs.map(({ config }) => TaskPushNotificationConfig.fromJSON(config))
}

/** Throws `TaskNotFoundError`. */
export async function getPushConfig(
  parts: Parts,
  task_id: string,
  id: string,
): Promise<TaskPushNotificationConfig> {
  const config = (await listPushConfigs(parts, task_id)).find((one) => one.id === id)
  if (config) return config
  throw new TaskNotFoundError(`Task ${task_id} has no push config ${id.slice(0, 100)}.`)
}

/** Part of the transaction that ends a run: queues a notification for each push config of its task. */
export async function pushEnd(
  tx: AgentStore,
  configs: readonly PushConfig[],
  run: QueuedRun,
  end: WebhookEnd,
): Promise<void> {
  const task = taskAtEnd({ task_id: taskIdOf(run), run }, end)
  for (const config of configs) await enqueue(tx, run, task, config)
}

async function enqueue(
  tx: AgentStore,
  { run_id, thread_id, origin, updated_at }: QueuedRun,
  task: Task,
  { version, config, problem }: PushConfig,
): Promise<void> {
  const { url, token, authentication } = TaskPushNotificationConfig.fromJSON(config)
  const told = SERIALIZERS[version].serialize({ payload: { $case: 'task', value: task } }, task)
  const thread = await tx.threads.get(thread_id, { isDropped: true })
  await tx.webhookDeliveries.insert({
    delivery_id: randomUUID(),
    ...{ run_id, thread_id, url, origin },
    created_at: updated_at,
    last_attempt: DELIVERY_ATTEMPTS,
    payload: told.body,
    metadata: thread?.metadata ?? {},
    ...(problem !== undefined && { problem }),
    headers: {
      'content-type': told.contentType,
      ...(token && { 'x-a2a-notification-token': token }),
      ...(authentication && {
        authorization: `${authentication.scheme} ${authentication.credentials}`.trim(),
      }),
    },
  })
}
