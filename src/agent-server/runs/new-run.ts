/** Builds the stored run from a request, the assistant, the thread and the caller. */
import type { Assistant } from '../../core/agent/assistant.ts'
import { AUTH_USER_KEY, type Caller } from '../../core/agent/authorization.ts'
import type { MultitaskStrategy } from '../../core/agent/multitask-strategy.ts'
import type { NewRun, RunKwargs } from '../../core/agent/run.ts'
import type { Thread } from '../../core/agent/thread.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { currentOrigin } from '../../core/origin.ts'
import { fieldsWhere } from '../operations/given.ts'

/** A client's decoded request for a run. Absent fields were not given. */
export interface RunRequest extends RunKwargs {
  /** An assistant's id or a graph's name. */
  assistant_id: string
  metadata: JsonObject
  multitask_strategy: MultitaskStrategy
  /** If the thread does not exist: `reject` throws `not_found`, `create` adds it. */
  if_not_exists: 'reject' | 'create'
  /** Seconds to wait before the run may start. */
  after_seconds?: number
}

/**
 * The run to store. Merges metadata by key, in the order assistant, thread, request: the later one
 * wins. Merges the config in the same way, with `configurable` and `context` by key too.
 */
export function newRun(from: {
  run_id: string
  request: RunRequest
  assistant: Assistant
  thread: Pick<Thread, 'thread_id' | 'metadata' | 'config'>
  caller: Caller
  /** The keys of the graph's context schema. Absent: unknown. */
  contextKeys?: ReadonlySet<string> | undefined
  /** The run whose graph waits for this one. */
  waiting_run_id?: string | undefined
  /** ms since 1970 */
  now: number
}): NewRun {
  const { run_id, request, assistant, thread, now } = from
  const { assistant_id, graph_id } = assistant
  const created_at = new Date(now).toISOString()
  return {
    run_id,
    thread_id: thread.thread_id,
    assistant_id,
    created_at,
    updated_at: created_at,
    status: 'pending',
    metadata: {
      ...assistant.metadata,
      ...thread.metadata,
      ...request.metadata,
      graph_id,
      assistant_id,
    },
    kwargs: kwargsOf(from),
    multitask_strategy: request.multitask_strategy,
    available_at: now + Math.round((request.after_seconds ?? 0) * 1000),
    ...originOf(from.waiting_run_id),
  }
}

/** The run in the SDK's form, for the project's auth. The auth may change the fields that hold objects. */
export function authorizationValue(
  request: RunRequest,
  ids: { thread_id: string | null; run_id: string },
) {
  const { assistant_id, metadata, multitask_strategy, if_not_exists, after_seconds, ...kwargs } =
    request
  const { config } = kwargs
  const configurable = { ...(config.configurable as JsonObject | undefined) }
  return {
    ...ids,
    assistant_id,
    status: 'pending',
    metadata: { ...metadata },
    multitask_strategy,
    if_not_exists,
    after_seconds: after_seconds ?? 0,
    kwargs: { ...kwargs, config: { ...config, configurable } },
  }
}

/** The request that creates the run. A cron's run has none. */
function originOf(waiting_run_id: string | undefined): Pick<NewRun, 'origin'> {
  const { request_id, traceparent } = currentOrigin()
  if (request_id === undefined) return {}
  return {
    origin: {
      request_id,
      ...(traceparent !== undefined && { traceparent }),
      ...(waiting_run_id !== undefined && { waiting_run_id }),
    },
  }
}

function kwargsOf(from: Parameters<typeof newRun>[0]): RunKwargs {
  const { run_id, request, thread, caller, contextKeys } = from
  const { thread_id } = thread
  const { assistant_id, graph_id } = from.assistant
  const assistant = mirrored(from.assistant, contextKeys)
  const asked = mirrored(request, contextKeys)
  const config = mergeConfig([assistant.config, thread.config, asked.config])
  const ids = { run_id, thread_id, graph_id, assistant_id }
  return {
    ...pick(request, [
      'input',
      'command',
      'checkpoint',
      'interrupt_before',
      'interrupt_after',
      'stream_mode',
      'stream_subgraphs',
      'stream_protocol',
      'durability',
      'stream_resumable',
      'strict_resume',
      'webhook',
      'feedback_keys',
      'langsmith_tracer',
      'langsmith_session_name',
      'on_completion',
    ]),
    context: mergeContext(assistant.context, asked.context),
    config: {
      ...config,
      configurable: {
        ...objectOf(config.configurable),
        ...langSmithFields(request),
        ...callerFields(caller),
        ...ids,
      },
    },
  }
}

/** The destination of the run's trace, under the official server's config names. */
function langSmithFields({ langsmith_tracer: tracer }: RunRequest): JsonObject {
  const { project_name, example_id } = tracer ?? {}
  return {
    ...(project_name !== undefined && { langsmith_project: project_name }),
    ...(example_id !== undefined && { langsmith_example_id: example_id }),
  }
}

/** The caller's data that graphs may see. */
function callerFields(caller: Caller): JsonObject {
  // A project may show graphs any header, and clients choose header names as they choose keys of the request.
  const headers = withoutPrivate([caller.headers])
  if (caller.identity === undefined) return headers
  return {
    ...headers,
    user_id: caller.identity,
    ...(caller.user && { [AUTH_USER_KEY]: caller.user }),
    langgraph_auth_user_id: caller.identity,
    langgraph_auth_permissions: caller.permissions,
  }
}

interface Configured {
  config: JsonObject
  context?: JsonValue
}

/**
 * If a request has only one of `configurable` and `context`, the graph gets it under both names, as on the
 * platform: graphs read one or the other. If it has both, each stays as it is. A context schema may refuse
 * unknown keys, so only its own keys are copied to `context`.
 */
function mirrored<T extends Configured>(asked: T, contextKeys: ReadonlySet<string> | undefined): T {
  const { config, context = {} } = asked
  const own = withoutPrivate([objectOf(config.configurable)])
  const configurable = fieldsWhere(own, (key) => !ID_KEYS.includes(key))
  if (!isObject(context) || isEmpty(configurable) === isEmpty(context)) return asked
  if (isEmpty(configurable)) return { ...asked, config: { ...config, configurable: context } }
  return { ...asked, context: fieldsWhere(configurable, (key) => contextKeys?.has(key) ?? true) }
}

/** The ids that the server itself adds to a run's `configurable`. */
const ID_KEYS = ['run_id', 'thread_id', 'graph_id', 'assistant_id']

function mergeConfig(configs: JsonObject[]): JsonObject {
  const configurable = configs.map((config) => objectOf(config.configurable))
  return Object.assign({}, ...configs, { configurable: withoutPrivate(configurable) })
}

/** Keys that name a checkpoint. A run starts from the request's `checkpoint` instead, which is checked. */
const PLACE_KEYS = ['checkpoint_id', 'checkpoint_ns', 'checkpoint_map', 'thread_ts']

/**
 * Removes keys that a client must not set: `__…` keys control LangGraph and the checkpointer, and
 * `langgraph_auth_…` keys identify the caller.
 */
function withoutPrivate(configurables: JsonObject[]): JsonObject {
  const merged: JsonObject = Object.assign({}, ...configurables)
  const isPrivate = (key: string) =>
    key.startsWith('__') || key.startsWith('langgraph_auth_') || PLACE_KEYS.includes(key)
  return fieldsWhere(merged, (key) => !isPrivate(key))
}

/** A context that is not an object has no keys to merge. */
function mergeContext(ofAssistant: JsonValue, ofRun: JsonValue | undefined): JsonValue {
  if (ofRun !== undefined && !isObject(ofRun)) return ofRun
  return { ...objectOf(ofAssistant), ...objectOf(ofRun) }
}

/** These fields, without those that are `undefined`. */
function pick<T extends object, K extends keyof T>(from: T, keys: K[]): Pick<T, K> {
  const entries = keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))
  return Object.fromEntries(entries) as Pick<T, K>
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}
