/** From what a graph emits to the events of the legacy streams. */

import { type EventStore, type NewEvent, PIECE_EVENT } from '../../core/agent/event.ts'
import type { Emission, MessageChange } from '../../core/agent/host/emission.ts'
import type { GraphRun } from '../../core/agent/host/run.ts'
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import type { ToldCheckpoint } from '../execution/ordered-writes.ts'
import { SubgraphLifecycle } from './subgraph-lifecycle.ts'

/** What a run writes to the log of what its graph emits. */
export interface RunProjection {
  /** Before all else, where the run was claimed before: an earlier attempt may have written some of it. */
  prepare(events: EventStore, attempt: { isResumed: boolean }): Promise<void>
  /** Before the graph is opened. */
  begin(): NewEvent[]
  /** Before the run's first emission is taken. */
  watch(run: GraphRun): void
  /** The checkpoint that the emission tells of, if it does. */
  checkpointOf(emission: Emission): ToldCheckpoint | undefined
  project(emission: Emission): NewEvent[] | Promise<NewEvent[]>
  /** The graph has emitted all: what may take a moment. */
  settle(): Promise<NewEvent[]>
  /** The graph's stream has ended by itself. */
  end(): NewEvent[]
  /** The run fails, or (without an error) was told to stop. */
  fail(error: RunError | undefined): NewEvent[] | Promise<NewEvent[]>
}

export class StreamProjection implements RunProjection {
  readonly #run: QueuedRun
  readonly #modes: ReadonlySet<string>
  /**
   * An interrupt, and what came after it. Most often that is the end of the run, with which it is told
   * then: who acts on an interrupt finds the run over.
   */
  readonly #held: NewEvent[] = []
  /** Absent: nobody wants to know. */
  readonly #lifecycle: SubgraphLifecycle | undefined

  constructor(run: QueuedRun) {
    this.#run = run
    this.#modes = new Set<StreamMode>(run.kwargs.stream_mode)
    if (this.#modes.has('lifecycle')) this.#lifecycle = new SubgraphLifecycle()
  }

  async prepare(): Promise<void> {}

  watch(): void {}

  checkpointOf(): undefined {
    return undefined
  }

  /** Every stream begins with it. */
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

  async settle(): Promise<NewEvent[]> {
    return []
  }

  end(): NewEvent[] {
    return [...this.#held.splice(0), ...(this.#lifecycle?.onEnd() ?? [])]
  }

  /** The run's end says why. */
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

  /** Those of subgraphs may be told of for the lifecycle alone. */
  #areTasksShown(namespace: string[]): boolean {
    const { stream_subgraphs } = this.#run.kwargs
    return this.#modes.has('tasks') && (stream_subgraphs || namespace.length === 0)
  }
}

/** What LangGraph still tells of a task that has stopped at an interrupt. */
const FOLLOWING: ReadonlySet<string> = new Set(['tasks', 'checkpoints', 'debug'])

/** It is an interrupt, or what is told of messages when the graph is done. */
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
 * Stream mode `messages`: for each message that a model streams one `messages/metadata`, then
 * `messages/partial` with all of it so far for each piece; behind each state of the graph one
 * `messages/complete`. In the log all pieces but the first are only what they added (`PIECE_EVENT`).
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
