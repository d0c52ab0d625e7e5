/** Converts a graph's emissions to events of the legacy streams. */

import { type EventStore, type NewEvent, PIECE_EVENT } from '../../core/agent/event.ts'
import type { Emission, MessageChange, TaskPayload } from '../../core/agent/host/emission.ts'
import type { GraphRun } from '../../core/agent/host/run.ts'
import type { AgentStatus } from '../../core/agent/protocol.ts'
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import type { ReportedCheckpoint } from '../../stream/write-buffer.ts'
import { type ChildEvent, Children } from './children.ts'

/** Converts the emissions of a run's graph to events of the log. */
export interface RunProjection {
  /** Called first if the run was claimed before: an earlier attempt may have written events. */
  prepare?(events: EventStore, attempt: { isResumed: boolean }): Promise<void>
  /** Called before the graph is opened. */
  begin(): NewEvent[]
  /** Called before the run's first emission is taken. */
  watch?(run: GraphRun): void
  /** The checkpoint that the emission reports, if any. */
  checkpointOf?(emission: Emission): ReportedCheckpoint | undefined
  project(emission: Emission): NewEvent[] | Promise<NewEvent[]>
  /** Called after the last emission. Returns events that may take a moment. */
  settle?(): Promise<NewEvent[]>
  /** Called if the graph's stream has ended without a stop. */
  end(): NewEvent[]
  /** Called if the run has failed or (without an error) was stopped. */
  fail(error: RunError | undefined): NewEvent[] | Promise<NewEvent[]>
}

export class StreamProjection implements RunProjection {
  readonly #run: QueuedRun
  readonly #modes: ReadonlySet<string>
  /**
   * An interrupt and the events after it. They are written with the next other event, most often the
   * run's end: a client that acts on the interrupt then finds the run over.
   */
  readonly #held: NewEvent[] = []
  /** Absent: the run has no mode `lifecycle`. */
  readonly #lifecycle: SubgraphLifecycle | undefined

  constructor(run: QueuedRun) {
    this.#run = run
    this.#modes = new Set<StreamMode>(run.kwargs.stream_mode)
    if (this.#modes.has('lifecycle')) this.#lifecycle = new SubgraphLifecycle()
  }

  /** Every stream begins with this event. */
  begin(): NewEvent[] {
    const { run_id, attempt } = this.#run
    return [beginning({ run_id, attempt })]
  }

  project(emission: Emission): NewEvent[] {
    const { mode } = emission
    const begun = this.#begun(emission)
    const told = this.#project(emission)
    const events = begun.length > 0 ? [...begun, ...told] : told
    const isHeld = isLate(emission) || (this.#held.length > 0 && FOLLOWING.has(mode))
    if (!isHeld) return this.#held.length > 0 ? [...this.#held.splice(0), ...events] : events
    this.#held.push(...events)
    return []
  }

  end(): NewEvent[] {
    return [...this.#held.splice(0), ...(this.#lifecycle?.onEnd() ?? [])]
  }

  /** The run's end has the error. */
  fail(error?: RunError): NewEvent[] {
    return [...this.#held.splice(0), ...(this.#lifecycle?.onFailure(error) ?? [])]
  }

  #begun(emission: Emission): NewEvent[] {
    if (!this.#lifecycle || emission.mode !== 'tasks') return []
    return this.#lifecycle.onTask(emission.namespace, emission.payload)
  }

  #project(emission: Emission): NewEvent[] {
    const { namespace, mode, payload } = emission
    const suffix = namespace.map((part) => `|${part}`).join('')
    switch (mode) {
      case 'messages':
        return messageEvents(payload, suffix)
      case 'messages-tuple':
        return [eventOf(`messages${suffix}`, [payload.message, payload.metadata])]
      case 'tasks':
        return this.#areTasksShown(namespace) ? [eventOf(`tasks${suffix}`, payload)] : []
      default:
        return [eventOf(`${mode}${suffix}`, payload)]
    }
  }

  /** The graph may emit tasks of subgraphs only for the lifecycle. */
  #areTasksShown(namespace: string[]): boolean {
    const { stream_subgraphs } = this.#run.kwargs
    return this.#modes.has('tasks') && (stream_subgraphs || namespace.length === 0)
  }
}

/** The modes in which LangGraph still emits after a task has stopped at an interrupt. */
const FOLLOWING: ReadonlySet<string> = new Set(['tasks', 'checkpoints', 'debug'])

/** Whether the emission is an interrupt, or the last one about messages. */
function isLate({ mode, payload }: Emission): boolean {
  if (mode === 'messages') return payload.kind === 'complete' && payload.isLast
  const isState = mode === 'values' || mode === 'updates'
  return isState && typeof payload === 'object' && payload !== null && '__interrupt__' in payload
}

/** The first event of each attempt at a run. */
export function beginning({ run_id, attempt }: Pick<QueuedRun, 'run_id' | 'attempt'>): NewEvent {
  return { event: 'metadata', data: JSON.stringify({ run_id, attempt }) }
}

/**
 * Stream mode `messages`: for each message that a model streams, one `messages/metadata`, then for each
 * piece a `messages/partial` with the message so far; after each state of the graph, one
 * `messages/complete`. The log has only the additions of all pieces but the first (`PIECE_EVENT`).
 */
function messageEvents(change: MessageChange, suffix: string): NewEvent[] {
  switch (change.kind) {
    case 'begun': {
      const { message, metadata } = change
      const partial = eventOf(`messages/partial${suffix}`, [message])
      if (!metadata) return [partial]
      return [
        eventOf(`messages/metadata${suffix}`, { [String(message.id)]: { metadata } }),
        partial,
      ]
    }
    case 'grown':
      return [eventOf(`${PIECE_EVENT}${suffix}`, [change.id, change.growth])]
    case 'complete':
      return [eventOf(`messages/complete${suffix}`, change.messages)]
  }
}

function eventOf(event: string, data: unknown): NewEvent {
  return { event, data: JSON.stringify(data) }
}

/**
 * Stream mode `lifecycle`: reports the start and end of each subgraph. The event's name has the
 * subgraph's namespace, whether or not the run's other modes show subgraphs.
 */
export class SubgraphLifecycle {
  readonly #children = new Children()
  #isAsking = false

  /** Takes LangGraph's event of a task, in the namespace of the task's graph. */
  onTask(namespace: string[], task: TaskPayload): NewEvent[] {
    const begun = this.#children.onEvent(namespace, { isOfNode: false })
    this.#children.onTask(namespace, task)
    if (task.interrupts && task.interrupts.length > 0) this.#isAsking = true
    return begun.map((child) => lifecycleEvent(child))
  }

  /** The graph's stream has ended without a stop. */
  onEnd(): NewEvent[] {
    return this.#over(this.#isAsking ? 'interrupted' : 'completed')
  }

  /** The run has failed, or (without an error) was stopped. */
  onFailure(error: RunError | undefined): NewEvent[] {
    return this.#over(error ? 'failed' : 'interrupted', error)
  }

  #over(status: AgentStatus, error?: RunError): NewEvent[] {
    return this.#children.onEnd(status).map((child) => lifecycleEvent(child, error))
  }
}

function lifecycleEvent({ namespace, data }: ChildEvent, error?: RunError): NewEvent {
  const { event, cause } = data as { event: AgentStatus; cause?: { tool_call_id?: string } }
  const tool_call_id = cause?.tool_call_id
  const told = {
    event,
    namespace,
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(error && event === 'failed' && { error }),
  }
  return { event: ['lifecycle', ...namespace].join('|'), data: JSON.stringify(told) }
}
