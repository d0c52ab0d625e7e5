/** Converts LangGraph's chunks to the port's emissions: for the requested modes, as plain JSON. */
import { AUTH_USER_KEY } from '../../../core/agent/authorization.ts'
import type {
  CheckpointPlace,
  Emission,
  MessagePiece,
  ModelEnd,
  TaskPayload,
} from '../../../core/agent/host/emission.ts'
import type { GraphRunRequest, HostMode } from '../../../core/agent/host/run.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import {
  type SnapshotConfig,
  toCheckpoint,
  toTaskCheckpoint,
  toTaskError,
} from '../langgraph/state.ts'
import { toWire } from '../langgraph/wire.ts'
import { type Message, MessageAssembly } from './message-assembly.ts'
import { nodeNamespace, ToolPlaces } from './node-namespace.ts'
import type { GraphChunk } from './source.ts'

/** Modes that LangGraph emits for subgraphs, as the graph's own, even if subgraphs were not requested. */
const UNSCOPED: ReadonlySet<string> = new Set(['messages', 'custom', 'tools'])

export class Emissions {
  readonly #modes: ReadonlySet<HostMode>
  readonly #hasSubgraphs: boolean
  readonly #isOfProtocol: boolean
  /** By namespace, which the emissions of its messages carry. */
  readonly #messages = new Map<string, { namespace: string[]; assembly: MessageAssembly }>()
  /** The ids of the messages that are complete, of all namespaces. */
  readonly #complete = new Set<string>()
  /** Whole messages that look like pieces. */
  readonly #whole = new WeakSet<object>()
  /** Protocol runs report tools and messages at their node; legacy streams where LangGraph does. */
  readonly #tools = new ToolPlaces()

  constructor({ modes, subgraphs }: GraphRunRequest) {
    this.#modes = new Set(modes)
    this.#hasSubgraphs = subgraphs
    this.#isOfProtocol = this.#modes.has('model_ends')
  }

  /** Empty: the run did not ask for it. */
  read(told: GraphChunk): Emission[] {
    const isShown = told.namespace.length === 0 || this.#hasSubgraphs
    if (isShown) return this.#read(told)
    if (UNSCOPED.has(told.mode)) return this.#read({ ...told, namespace: [] })
    const isAlive = told.mode === 'tasks' && this.#modes.has('lifecycle')
    return isAlive ? this.#read(told) : []
  }

  /**
   * Call this when a batch is handed out. A tool's message gets its id just after LangGraph emits it. Protocol runs
   * include that id, so they convert the message to JSON only here; the legacy streams have always left it out.
   * Everything else becomes JSON when it is read: the next node may change it.
   */
  complete(batch: Emission[]): Emission[] {
    if (!this.#isOfProtocol) return batch
    for (const one of batch) if (one.mode === 'tools') one.payload = toWire(one.payload)
    return batch
  }

  /** The graph is done: emits the messages that never appeared in a state. */
  end(): Emission[] {
    return [...this.#messages.values()].flatMap(({ namespace, assembly }) => {
      const payload = assembly.onEnd()
      return payload ? [{ namespace, mode: 'messages', payload }] : []
    })
  }

  /** This object is a whole message. */
  onWhole(message: object): void {
    this.#whole.add(message)
  }

  /** A tool is called. */
  onTool(...call: Parameters<ToolPlaces['onStart']>): void {
    this.#tools.onStart(...call)
  }

  #read({ namespace, mode, payload }: GraphChunk): Emission[] {
    switch (mode) {
      case 'messages':
        return this.#onMessage(namespace, payload as [Message, object])
      case 'values':
        return this.#onValues(namespace, payload)
      case 'tasks':
        return [
          {
            namespace,
            mode,
            payload: toWire(taskPayload(payload as Task)) as unknown as TaskPayload,
          },
        ]
      case 'checkpoints':
        return this.#onCheckpoint(namespace, payload)
      case 'model_ends':
        return [{ namespace, mode, payload: payload as ModelEnd }]
      case 'tools':
        return [this.#onTool(namespace, payload)]
      case 'debug':
        return [{ namespace, mode, payload: toWire(debugPayload(payload as DebugPayload)) }]
      case 'updates':
      case 'custom':
      case 'events':
        return [{ namespace, mode, payload: toWire(payload) }]
      default:
        return []
    }
  }

  #onTool(told: string[], payload: unknown): Emission {
    if (!this.#isOfProtocol) return { namespace: told, mode: 'tools', payload: toWire(payload) }
    const namespace = this.#tools.namespace(told, payload as object)
    return { namespace, mode: 'tools', payload: payload as JsonValue }
  }

  #onMessage(told: string[], [message, metadata]: [Message, object]): Emission[] {
    const emissions: Emission[] = []
    const namespace = this.#isOfProtocol ? nodeNamespace(told, metadata) : told
    if (this.#modes.has('messages-tuple')) {
      const payload: MessagePiece = {
        message: toWire(message) as JsonObject,
        metadata: toWire(metadata) as JsonObject,
        isPiece: message.concat !== undefined && !this.#whole.has(message),
      }
      emissions.push({ namespace, mode: 'messages-tuple', payload })
    }
    if (this.#modes.has('messages')) {
      const payload = this.#messagesOf(namespace).onMessage(message, metadata)
      if (payload) emissions.push({ namespace, mode: 'messages', payload })
    }
    return emissions
  }

  #onValues(namespace: string[], values: unknown): Emission[] {
    const emissions: Emission[] = []
    if (this.#modes.has('values')) {
      emissions.push({ namespace, mode: 'values', payload: toWire(values) })
    }
    if (this.#modes.has('messages')) {
      const payload = this.#messagesOf(namespace).onValues(values)
      if (payload) emissions.push({ namespace, mode: 'messages', payload })
    }
    return emissions
  }

  /** Since 1.4 LangGraph sends the mere place of a checkpoint in the same mode. */
  #onCheckpoint(namespace: string[], payload: unknown): Emission[] {
    if (isCheckpoint(payload)) {
      return [{ namespace, mode: 'checkpoints', payload: toWire(checkpointPayload(payload)) }]
    }
    const place = toWire(payload) as unknown as CheckpointPlace
    const isTold = this.#modes.has('places') && typeof place.id === 'string'
    return isTold ? [{ namespace, mode: 'places', payload: place }] : []
  }

  #messagesOf(namespace: string[]): MessageAssembly {
    const key = namespace.join('|')
    const known = this.#messages.get(key)
    if (known) return known.assembly
    const assembly = new MessageAssembly(this.#complete)
    this.#messages.set(key, { namespace, assembly })
    return assembly
  }
}

/** LangGraph's payload in the stream modes `debug` and `checkpoints`. */
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

/**
 * A payload of the stream mode `debug` as the API shows it, like those of `checkpoints` and `tasks` below. Places in a
 * thread's history have the API's usual form, and fields that only LangGraph and the server need are left out.
 */
function debugPayload({ type, payload, ...rest }: DebugPayload): object {
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
function isCheckpoint(payload: unknown): payload is CheckpointPayload {
  return typeof payload === 'object' && payload !== null && 'config' in payload
}
