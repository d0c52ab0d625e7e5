/** What LangGraph tells of a run, as the port has it: for the modes that were asked for, as plain JSON. */
import type {
  CheckpointPlace,
  Emission,
  MessagePiece,
  ModelEnd,
  TaskPayload,
} from '../../../core/agent/host/emission.ts'
import type { GraphRunRequest, HostMode } from '../../../core/agent/host/run.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { toWire } from '../langgraph/wire.ts'
import { apiPayload, isCheckpoint } from './api-payload.ts'
import { type Message, MessageAssembly } from './message-assembly.ts'
import { nodeNamespace, ToolPlaces } from './node-namespace.ts'
import type { GraphChunk } from './source.ts'

/** What LangGraph tells of subgraphs, as the graph's own, also where it is not asked for them. */
const UNSCOPED: ReadonlySet<string> = new Set(['messages', 'custom', 'tools'])

export class Emissions {
  readonly #modes: ReadonlySet<HostMode>
  readonly #hasSubgraphs: boolean
  readonly #isOfProtocol: boolean
  /** By namespace, which is told with what is made of it. */
  readonly #messages = new Map<string, { namespace: string[]; assembly: MessageAssembly }>()
  /** The ids of the messages that are complete, of all namespaces. */
  readonly #complete = new Set<string>()
  /** Messages that look like pieces, and are all of it. */
  readonly #whole = new WeakSet<object>()
  /** Runs of the protocol tell of tools, and of messages, at their node; legacy streams where LangGraph does. */
  readonly #tools = new ToolPlaces()

  constructor({ modes, subgraphs }: GraphRunRequest) {
    this.#modes = new Set(modes)
    this.#hasSubgraphs = subgraphs
    this.#isOfProtocol = this.#modes.has('model_ends')
  }

  /** None: nobody wants to know. */
  read(told: GraphChunk): Emission[] {
    const isShown = told.namespace.length === 0 || this.#hasSubgraphs
    if (isShown) return this.#read(told)
    if (UNSCOPED.has(told.mode)) return this.#read({ ...told, namespace: [] })
    const isAlive = told.mode === 'tasks' && this.#modes.has('lifecycle')
    return isAlive ? this.#read(told) : []
  }

  /**
   * To be called when what was read is handed out. A tool's message gets its id just after LangGraph has told of it: runs of
   * the protocol tell that too, so that it is made JSON no earlier. The legacy streams have always told it without.
   * Everything else is made JSON when it is read: the next node may change it.
   */
  complete(batch: Emission[]): Emission[] {
    if (!this.#isOfProtocol) return batch
    for (const one of batch) if (one.mode === 'tools') one.payload = toWire(one.payload)
    return batch
  }

  /** The graph is done: the messages that never came to stand in a state. */
  end(): Emission[] {
    return [...this.#messages.values()].flatMap(({ namespace, assembly }) => {
      const payload = assembly.onEnd()
      return payload ? [{ namespace, mode: 'messages', payload }] : []
    })
  }

  /** This object is all of its message. */
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
          { namespace, mode, payload: toWire(apiPayload(mode, payload)) as unknown as TaskPayload },
        ]
      case 'checkpoints':
        return this.#onCheckpoint(namespace, payload)
      case 'model_ends':
        return [{ namespace, mode, payload: payload as ModelEnd }]
      case 'tools':
        return [this.#onTool(namespace, payload)]
      case 'updates':
      case 'custom':
      case 'debug':
      case 'events':
        return [{ namespace, mode, payload: toWire(apiPayload(mode, payload)) }]
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
      return [
        { namespace, mode: 'checkpoints', payload: toWire(apiPayload('checkpoints', payload)) },
      ]
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
