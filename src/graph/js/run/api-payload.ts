/**
 * Stream modes `debug`, `checkpoints` and `tasks`: LangGraph's payloads as the API shows them. Places in a thread's
 * history have the API's usual form, and fields that only LangGraph and the server need are left out.
 */
import { AUTH_USER_KEY } from '../../../core/agent/authorization.ts'
import {
  type SnapshotConfig,
  toCheckpoint,
  toTaskCheckpoint,
  toTaskError,
} from '../langgraph/state.ts'

interface CheckpointPayload {
  config: SnapshotConfig
  parentConfig?: SnapshotConfig
  tasks: Task[]
}

interface DebugPayload {
  type: string
  payload: object
}

/** A task that begins or, with `result` or `error`, one that ended. */
interface Task {
  state?: SnapshotConfig
  error?: unknown
}

/** Payloads of other modes stay as they are. */
export function apiPayload(mode: string, payload: unknown): unknown {
  switch (mode) {
    case 'checkpoints':
      return checkpointPayload(payload as CheckpointPayload)
    case 'tasks':
      return taskPayload(payload as Task)
    case 'debug':
      return wrapped(payload as DebugPayload)
    default:
      return payload
  }
}

function wrapped({ type, payload, ...rest }: DebugPayload): object {
  const isOfCheckpoint = type === 'checkpoint' && isCheckpoint(payload)
  return {
    type,
    ...rest,
    payload: isOfCheckpoint ? checkpointPayload(payload) : taskPayload(payload),
  }
}

function checkpointPayload({ parentConfig, ...rest }: CheckpointPayload): object {
  return {
    ...rest,
    config: publicConfig(rest.config),
    parent_config: publicConfig(parentConfig) ?? null,
    checkpoint: toCheckpoint(rest.config),
    parent_checkpoint: toCheckpoint(parentConfig),
    tasks: rest.tasks.map(checkpointTask),
  }
}

/** A result includes the task's error, `null` if it succeeded. */
function taskPayload(task: Task): object {
  const isResult = 'result' in task || 'error' in task
  return isResult ? { ...placed(task), error: toTaskError(task.error) } : placed(task)
}

function checkpointTask(task: Task): object {
  const error = 'error' in task && { error: toTaskError(task.error) }
  return { ...placed(task), ...error, state: null }
}

/** The state of a subgraph's task becomes the place where it can be read. */
function placed({ state, ...rest }: Task): object {
  const checkpoint = toTaskCheckpoint(state)
  return { ...rest, ...(checkpoint && { checkpoint }) }
}

/** Keys with two underscores are LangGraph's and the server's own; callbacks are no data. */
function publicConfig(config: (SnapshotConfig & { callbacks?: unknown }) | undefined) {
  if (!config) return undefined
  const { callbacks, configurable = {}, ...rest } = config
  const isOpen = (key: string) => !key.startsWith('__') && key !== AUTH_USER_KEY
  const open = Object.entries(configurable).filter(([key]) => isOpen(key))
  return { ...rest, configurable: Object.fromEntries(open) }
}

/** Whether the payload is a whole checkpoint. */
export function isCheckpoint(payload: unknown): payload is CheckpointPayload {
  return typeof payload === 'object' && payload !== null && 'config' in payload
}
