/** From what a graph emits to the events of the protocol, as the log keeps them. */
import type { Clock } from '../../core/clock.ts'
import type { NewEvent } from '../../core/event.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type AgentStatus, type Channel, protocolEventName } from '../../core/protocol.ts'
import type { QueuedRun, RunError } from '../../core/run.ts'
import { toWire } from '../../graph/wire.ts'
import { customOf, updateOf, withoutInterrupts } from '../../stream/protocol-event.ts'
import { debugPayload } from '../stream-debug.ts'
import type { RunProjection } from '../stream-projection.ts'
import type { Emission } from '../stream-source.ts'
import { type ChildEvent, Children, type TaskPayload } from './children.ts'
import type { Message } from './message-blocks.ts'
import { type MessageEvent, Messages } from './messages.ts'
import { modelCallHandler } from './model-calls.ts'
import { toolEvent } from './tool-event.ts'

/** What a run of the protocol asks its graph for; subgraphs are always told of. */
export const PROTOCOL_MODES = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
] as const

/** These the legacy streams of the run show as well. */
const LEGACY_CHANNELS: ReadonlySet<Channel> = new Set(['values', 'updates', 'custom', 'tasks'])

export class ProtocolProjection implements RunProjection {
  readonly #run: QueuedRun
  readonly #clock: Clock
  readonly #children = new Children()
  readonly #messages = new Messages()
  /** The interrupts that were told of: each graph above tells of them again. */
  readonly #interrupts = new Set<string>()

  constructor(run: QueuedRun, clock: Clock) {
    this.#run = run
    this.#clock = clock
  }

  begin(): NewEvent[] {
    const { run_id, metadata } = this.#run
    const data = { event: 'running', graph_name: String(metadata.graph_id), run_id }
    return [{ ...this.#event('lifecycle', [], data), isOfThreadOnly: false }]
  }

  project({ namespace, mode, payload }: Emission): NewEvent[] {
    const own = namespace.filter((part) => part !== '')
    return [...this.#begun(own, mode, payload), ...this.#project(own, mode, payload)]
  }

  callbacks(write: (events: NewEvent[]) => void): object[] {
    const messages = this.#messages
    const handler = modelCallHandler({
      onWritten: (id, pieces) => write(this.#written(messages.onWritten(id, pieces))),
      onFailed: (id, error) => write(this.#written(messages.onFailed(id, failureOf(error)))),
      onWhole: (message) => messages.onWhole(message),
    })
    return [handler]
  }

  end(): NewEvent[] {
    const isOpen = this.#interrupts.size > 0
    return [
      ...this.#written(this.#messages.onEnd()),
      ...this.#over(isOpen ? 'interrupted' : 'completed'),
    ]
  }

  fail(error: RunError | undefined): NewEvent[] {
    const message = error?.message ?? 'The run was cancelled.'
    const failure = { message, code: error?.error ?? 'cancelled' }
    return [
      ...this.#written(this.#messages.onEnd(failure)),
      ...this.#over(error ? 'failed' : 'interrupted'),
    ]
  }

  #begun(namespace: string[], mode: string, payload: unknown): NewEvent[] {
    const { metadata } = (mode === 'tasks' ? payload : {}) as Partial<TaskPayload>
    const agentName = metadata?.lc_agent_name
    const begun = this.#children.onEvent(
      namespace,
      typeof agentName === 'string' ? agentName : undefined,
    )
    return this.#lifecycle(begun)
  }

  #over(status: AgentStatus): NewEvent[] {
    return this.#lifecycle(this.#children.onEnd(status))
  }

  #project(namespace: string[], mode: string, payload: unknown): NewEvent[] {
    switch (mode) {
      case 'messages':
        return this.#onMessage(namespace, payload as [Message, object])
      case 'values':
        return this.#onValues(namespace, toWire(payload))
      case 'updates':
        return this.#onUpdates(namespace, toWire(payload))
      case 'tasks':
        return this.#onTask(namespace, payload as TaskPayload)
      case 'checkpoints':
        return this.#onCheckpoint(namespace, toWire(payload))
      case 'tools':
        return [this.#event('tools', namespace, toolEvent(toWire(payload) as JsonObject))]
      case 'custom':
        return [this.#onCustom(namespace, toWire(payload))]
      default:
        return []
    }
  }

  #onMessage(namespace: string[], [message, metadata]: [Message, object]): NewEvent[] {
    return this.#written(this.#messages.onMessage(namespace, message, metadata))
  }

  #onValues(namespace: string[], values: JsonValue): NewEvent[] {
    const asked = this.#onInterrupts(namespace, values)
    const shown = withoutInterrupts(values)
    const isEmpty =
      shown !== values && typeof shown === 'object' && Object.keys(shown ?? {}).length === 0
    return isEmpty ? asked : [...asked, this.#event('values', namespace, shown)]
  }

  #onUpdates(namespace: string[], update: JsonValue): NewEvent[] {
    const asked = this.#onInterrupts(namespace, update)
    const shown = withoutInterrupts(update)
    const { node, data } = updateOf(shown)
    return node === undefined
      ? asked
      : [...asked, this.#event('updates', namespace, data, { node })]
  }

  #onInterrupts(namespace: string[], from: JsonValue): NewEvent[] {
    const open = (from as JsonObject | null)?.__interrupt__
    if (!Array.isArray(open)) return []
    return (open as { id?: string; value?: JsonValue }[]).flatMap(({ id, value }) => {
      if (id === undefined || this.#interrupts.has(id)) return []
      this.#interrupts.add(id)
      return [this.#event('input', namespace, { interrupt_id: id, payload: value ?? null })]
    })
  }

  #onTask(namespace: string[], task: TaskPayload): NewEvent[] {
    const isOver = 'result' in task
    const child = [...namespace, `${task.name}:${task.id}`]
    const written = isOver ? this.#written(this.#messages.onTaskEnd(child)) : []
    this.#children.onTask(namespace, task)
    return [...written, this.#event('tasks', namespace, toWire(debugPayload('tasks', task)))]
  }

  /** Only where a checkpoint is: its state is told of as `values`. */
  #onCheckpoint(namespace: string[], payload: JsonValue): NewEvent[] {
    const { id, parent_id, step, source } = payload as JsonObject
    if (typeof id !== 'string' || typeof step !== 'number') return []
    const place = {
      id,
      ...(parent_id !== undefined && { parent_id }),
      step,
      source: source ?? 'loop',
    }
    return [this.#event('checkpoints', namespace, place)]
  }

  #onCustom(namespace: string[], payload: JsonValue): NewEvent {
    const data = customOf(payload)
    return this.#event('custom', namespace, data, { name: data.name as string | undefined })
  }

  #written(events: MessageEvent[]): NewEvent[] {
    return events.map(({ namespace, node, data }) =>
      this.#event('messages', namespace, data, { node }),
    )
  }

  #lifecycle(events: ChildEvent[]): NewEvent[] {
    return events.map(({ namespace, data }) => this.#event('lifecycle', namespace, data))
  }

  #event(
    channel: Channel,
    namespace: string[],
    data: JsonValue,
    { node, name }: { node?: string | undefined; name?: string | undefined } = {},
  ): NewEvent {
    const timestamp = this.#clock.now()
    const params = { namespace, timestamp, ...(node !== undefined && { node }), data }
    return {
      event: protocolEventName({ channel, namespace, ...(name !== undefined && { name }) }),
      data: JSON.stringify(params),
      isOfThreadOnly: !LEGACY_CHANNELS.has(channel),
    }
  }
}

function failureOf(error: unknown): { message: string; code: string } {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return { message, code: name }
}
