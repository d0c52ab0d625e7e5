/** Converts a graph's emissions to events of the protocol, in the log's form. */

import type { EventStore, NewEvent, RunEvent } from '../../core/agent/event.ts'
import type { CheckpointPlace, Emission, TaskPayload } from '../../core/agent/host/emission.ts'
import type { GraphRun } from '../../core/agent/host/run.ts'
import {
  type AgentStatus,
  type Channel,
  inputRequest,
  NODE,
  protocolEventName,
} from '../../core/agent/protocol.ts'
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import type { Interrupt } from '../../core/agent/thread.ts'
import type { Clock } from '../../core/clock.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import {
  customOf,
  legacyMessage,
  updateOf,
  withoutInterrupts,
} from '../../stream/protocol-event.ts'
import type { ReportedCheckpoint } from '../../stream/write-buffer.ts'
import { type ChildEvent, Children } from '../streams/children.ts'
import type { RunProjection } from '../streams/projection.ts'
import { type MessageEvent, Messages } from './messages.ts'
import { ReplayFilter } from './replay-filter.ts'
import { toolEvent } from './tool-event.ts'
import { Transform } from './transform.ts'

/** The stream modes of a protocol run. Subgraphs are always included. */
export const PROTOCOL_MODES = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
] as const

const RUNNING = protocolEventName({ channel: 'lifecycle', namespace: [] })

/** The channels that the run's legacy streams also show. They also show messages of models. */
const LEGACY_CHANNELS: ReadonlySet<Channel> = new Set(['values', 'updates', 'custom', 'tasks'])

const ROOT_CHECKPOINT = protocolEventName({ channel: 'checkpoints', namespace: [] })
/** How many events are read at once. */
const PAGE = 256

export class ProtocolProjection implements RunProjection {
  readonly #run: QueuedRun
  readonly #clock: Clock
  readonly #children = new Children()
  readonly #messages = new Messages()
  /** The known interrupts: each graph above reports them again. */
  readonly #interrupts = new Set<string>()
  /** Written with the run's end, since clients cannot answer them earlier. */
  readonly #questions: { namespace: string[]; data: JsonObject }[] = []
  #transform: Transform | undefined
  #replayFilter: ReplayFilter | undefined
  #hasBegun = false

  constructor(run: QueuedRun, clock: Clock) {
    this.#run = run
    this.#clock = clock
  }

  async prepare(events: EventStore, { isResumed }: { isResumed: boolean }): Promise<void> {
    const told: RunEvent[] = []
    let after = 0
    for (;;) {
      const page = await events.readRun(this.#run, after, PAGE)
      for (const event of page) {
        this.#hasBegun = true
        this.#children.restore(event)
        this.#messages.restore(event)
        // Steps before the checkpoint are done. A run that is not resumed repeats all steps.
        if (isResumed && event.event === ROOT_CHECKPOINT) told.length = 0
        told.push(event)
      }
      const last = page.at(-1)
      if (!last) break
      after = last.seq
    }
    if (told.length > 0) this.#replayFilter = new ReplayFilter(told)
  }

  begin(): NewEvent[] {
    if (this.#hasBegun) return []
    const { run_id, metadata } = this.#run
    const data = { event: 'running', graph_name: String(metadata.graph_id), run_id }
    const content = { namespace: [], timestamp: this.#clock.now(), data }
    return [{ event: RUNNING, data: JSON.stringify(content) }]
  }

  checkpointOf({ namespace, mode, payload }: Emission): ReportedCheckpoint | undefined {
    if (mode !== 'places') return undefined
    return { checkpoint_ns: namespace.join('|'), checkpoint_id: payload.id }
  }

  watch({ transform }: GraphRun): void {
    if (transform) this.#transform = new Transform(transform, (...event) => this.#event(...event))
  }

  project(emission: Emission): NewEvent[] | Promise<NewEvent[]> {
    const own = emission.namespace.filter((part) => part !== '')
    const begun = this.#begun(own, emission)
    const told = this.#project(own, emission)
    const events = begun.length > 0 ? [...begun, ...told] : told
    return this.#transformed(events, emission)
  }

  async settle(): Promise<NewEvent[]> {
    return this.#withoutReplayed((await this.#transform?.finish()) ?? [])
  }

  /** Call it after the transformers have ended. */
  end(): NewEvent[] {
    const status = this.#interrupts.size > 0 ? 'interrupted' : 'completed'
    const written = this.#written(this.#messages.onEnd())
    return this.#last([...written, ...this.#asked(), ...this.#over(status)])
  }

  async fail(error: RunError | undefined): Promise<NewEvent[]> {
    const message = error?.message ?? 'The run was cancelled.'
    const failure = { message, code: error?.error ?? 'cancelled' }
    const status = error ? 'failed' : 'interrupted'
    const written = this.#written(this.#messages.onEnd(failure))
    const made = await this.#transform?.fail({ name: failure.code, message })
    // A thread in error accepts no answer.
    return this.#last([
      ...(made ?? []),
      ...written,
      ...(error ? [] : this.#asked()),
      ...this.#over(status),
    ])
  }

  /** The events after the graph's transformers have seen them. */
  #transformed(events: NewEvent[], of: Emission): NewEvent[] | Promise<NewEvent[]> {
    const told = this.#transform?.onEvents(events, of)
    return told ? told.then((those) => this.#withoutReplayed(those)) : this.#withoutReplayed(events)
  }

  /** The events that the log does not have from an earlier attempt. */
  #withoutReplayed(events: NewEvent[]): NewEvent[] {
    const filter = this.#replayFilter
    return filter ? events.flatMap((event) => filter.onEvent(event)) : events
  }

  #last(events: NewEvent[]): NewEvent[] {
    const last = this.#withoutReplayed(events)
    return this.#replayFilter ? [...this.#replayFilter.onEnd(), ...last] : last
  }

  #begun(namespace: string[], { mode, payload }: Emission): NewEvent[] {
    if (mode === 'model_ends') return []
    const agentName = mode === 'tasks' ? payload.metadata?.lc_agent_name : undefined
    const begun = this.#children.onEvent(namespace, {
      agentName: typeof agentName === 'string' ? agentName : undefined,
      isOfNode: mode === 'messages-tuple' || mode === 'tools',
    })
    return this.#lifecycle(begun)
  }

  #over(status: AgentStatus): NewEvent[] {
    return this.#lifecycle(this.#children.onEnd(status))
  }

  #project(namespace: string[], { mode, payload }: Emission): NewEvent[] {
    switch (mode) {
      case 'messages-tuple':
        return this.#written(this.#messages.onMessage(namespace, payload))
      case 'model_ends':
        return this.#written(this.#messages.onModelEnd(payload))
      case 'values':
        return this.#onValues(namespace, payload)
      case 'updates':
        return this.#onUpdates(namespace, payload)
      case 'tasks':
        return this.#onTask(namespace, payload)
      case 'places':
        return this.#onPlace(namespace, payload)
      case 'tools':
        return [this.#event('tools', namespace, toolEvent(payload as JsonObject))]
      case 'custom':
        return [this.#onCustom(namespace, payload)]
      default:
        return []
    }
  }

  #onValues(namespace: string[], values: JsonValue): NewEvent[] {
    this.#noteQuestions(namespace, values)
    const shown = withoutInterrupts(values)
    const isEmpty =
      shown !== values && typeof shown === 'object' && Object.keys(shown ?? {}).length === 0
    return isEmpty ? [] : [this.#event('values', namespace, shown)]
  }

  #onUpdates(namespace: string[], update: JsonValue): NewEvent[] {
    this.#noteQuestions(namespace, update)
    const { node, data } = updateOf(withoutInterrupts(update))
    return node === undefined ? [] : [this.#event('updates', namespace, data, { node })]
  }

  #noteQuestions(namespace: string[], from: JsonValue): void {
    const open = (from as JsonObject | null)?.__interrupt__
    if (!Array.isArray(open)) return
    for (const interrupt of open as unknown as Interrupt[]) {
      const { id } = interrupt
      if (id === undefined || this.#interrupts.has(id)) continue
      this.#interrupts.add(id)
      this.#questions.push({ namespace, data: inputRequest(interrupt) })
    }
  }

  #asked(): NewEvent[] {
    return this.#questions.map(({ namespace, data }) => this.#event('input', namespace, data))
  }

  #onTask(namespace: string[], task: TaskPayload): NewEvent[] {
    const isOver = 'result' in task
    const child = [...namespace, `${task.name}:${task.id}`]
    const written = isOver ? this.#written(this.#messages.onTaskEnd(child)) : []
    this.#children.onTask(namespace, task)
    const { metadata, ...shown } = task
    const about = metadata && { metadata: withoutAttempt(metadata) }
    return [...written, this.#event('tasks', namespace, { ...shown, ...about } as JsonObject)]
  }

  /** Reports only the checkpoint's place; `values` events report its state. */
  #onPlace(namespace: string[], { id, parent_id, step, source }: CheckpointPlace): NewEvent[] {
    if (step === undefined) return []
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
    return events.map(({ namespace, node, role, data }) => {
      const isOfThreadOnly = role !== 'ai' || !legacyMessage({ namespace, node, data })
      return { ...this.#event('messages', namespace, data, { node }), isOfThreadOnly }
    })
  }

  #lifecycle(events: ChildEvent[]): NewEvent[] {
    return events.map(({ namespace, isNode, data }) =>
      this.#event('lifecycle', namespace, data, { name: isNode ? NODE : undefined }),
    )
  }

  #event(
    channel: Channel,
    namespace: string[],
    data: JsonValue,
    { node, name }: { node?: string | undefined; name?: string | undefined } = {},
  ): NewEvent {
    const timestamp = this.#clock.now()
    const params = { namespace, timestamp, node, data }
    return {
      event: protocolEventName({ channel, namespace, name }),
      data: JSON.stringify(params),
      isOfThreadOnly: !LEGACY_CHANNELS.has(channel),
    }
  }
}

/** With the attempt's number, a repeated task would look like a new one. */
function withoutAttempt({ run_attempt, ...metadata }: JsonObject): JsonObject {
  return metadata
}
