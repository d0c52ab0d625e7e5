/** From what a graph emits to the events of the legacy streams (facts, section 3). */
import type { EventStore, NewEvent } from '../../core/agent/event.ts'
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import type { StreamMode } from '../../core/agent/stream-mode.ts'
import type { Graph } from '../../graph/js/langgraph/graph.ts'
import { toWire } from '../../graph/js/langgraph/wire.ts'
import type { ToldCheckpoint } from '../execution/ordered-writes.ts'
import type { TaskPayload } from './children.ts'
import { debugPayload } from './debug.ts'
import { MessageProjection } from './message-projection.ts'
import type { Emission } from './source.ts'
import { SubgraphLifecycle } from './subgraph-lifecycle.ts'

/** What a run writes to the log of what its graph emits. */
export interface RunProjection {
  /** Before all else: an earlier attempt at the run may have written some of it. */
  prepare(events: EventStore, attempt: { isResumed: boolean }): Promise<void>
  /** Before the graph is opened. */
  begin(): NewEvent[]
  /** Before the graph is called. */
  watch(graph: Graph): void
  /** The checkpoint that the emission tells of, if it does. */
  checkpointOf(emission: Emission): ToldCheckpoint | undefined
  /**
   * Callback handlers that the graph is to be called with; `write` takes events that come of what
   * they are told.
   */
  callbacks(write: (events: NewEvent[]) => void): object[]
  project(emission: Emission): NewEvent[]
  /** The graph has emitted all: what may take a moment. */
  settle(): Promise<NewEvent[]>
  /** The graph's stream has ended by itself. */
  end(): NewEvent[]
  /** The run fails, or (without an error) was told to stop. */
  fail(error: RunError | undefined): NewEvent[]
}

export class StreamProjection implements RunProjection {
  readonly #run: QueuedRun
  readonly #modes: ReadonlySet<string>
  /** One for each namespace; the root's is the empty one. */
  readonly #messages = new Map<string, MessageProjection>()
  /** The ids of the messages that are complete, of all namespaces. */
  readonly #complete = new Set<string>()
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

  callbacks(): object[] {
    return []
  }

  project(emission: Emission): NewEvent[] {
    const { namespace, mode, payload } = emission
    const isTask = this.#lifecycle && mode === 'tasks'
    const begun = isTask ? this.#lifecycle?.onTask(namespace, payload as TaskPayload) : []
    const events = [...(begun ?? []), ...this.#project(emission)]
    const isHeld = isInterrupt(mode, payload) || (this.#held.length > 0 && FOLLOWING.has(mode))
    if (!isHeld) return [...this.#held.splice(0), ...events]
    this.#held.push(...events)
    return []
  }

  async settle(): Promise<NewEvent[]> {
    return []
  }

  end(): NewEvent[] {
    const rest = [...this.#messages].flatMap(([suffix, messages]) =>
      named(messages.onEnd(), suffix),
    )
    return [...this.#held.splice(0), ...rest, ...(this.#lifecycle?.onEnd() ?? [])]
  }

  /** The run's end says why. */
  fail(error?: RunError): NewEvent[] {
    return [...this.#held.splice(0), ...(this.#lifecycle?.onFailure(error) ?? [])]
  }

  #project({ namespace, mode, payload }: Emission): NewEvent[] {
    const isShown = namespace.length === 0 || this.#run.kwargs.stream_subgraphs
    // Then subgraphs are told of for their lifecycle alone.
    if (!isShown && !UNSCOPED.has(mode)) return []
    const suffix = isShown ? namespace.map((part) => `|${part}`).join('') : ''
    return mode === 'messages'
      ? this.#message(suffix, payload as [object, unknown])
      : this.#payload(suffix, mode, payload)
  }

  #payload(suffix: string, mode: string, payload: unknown): NewEvent[] {
    const completed = mode === 'values' ? this.#completed(suffix, payload) : []
    const shown = this.#modes.has(mode) ? debugPayload(mode, payload) : undefined
    if (shown === undefined) return completed
    return [{ event: `${mode}${suffix}`, data: JSON.stringify(toWire(shown)) }, ...completed]
  }

  #message(suffix: string, [message, metadata]: [object, unknown]): NewEvent[] {
    const events: NewEvent[] = []
    if (this.#modes.has('messages-tuple')) {
      const data = JSON.stringify([toWire(message), toWire(metadata)])
      events.push({ event: `messages${suffix}`, data })
    }
    if (this.#modes.has('messages')) {
      events.push(...named(this.#messagesOf(suffix).onMessage(message, metadata), suffix))
    }
    return events
  }

  #completed(suffix: string, values: unknown): NewEvent[] {
    if (!this.#modes.has('messages')) return []
    return named(this.#messagesOf(suffix).onValues(values), suffix)
  }

  #messagesOf(suffix: string): MessageProjection {
    const known = this.#messages.get(suffix)
    if (known) return known
    const messages = new MessageProjection(this.#complete)
    this.#messages.set(suffix, messages)
    return messages
  }
}

/** What LangGraph tells of subgraphs, as the graph's own, also where it is not asked for them. */
const UNSCOPED: ReadonlySet<string> = new Set(['messages', 'custom', 'tools'])

/** What LangGraph still tells of a task that has stopped at an interrupt. */
const FOLLOWING: ReadonlySet<string> = new Set(['tasks', 'checkpoints', 'debug'])

function isInterrupt(mode: string, payload: unknown): boolean {
  const isState = mode === 'values' || mode === 'updates'
  return isState && typeof payload === 'object' && payload !== null && '__interrupt__' in payload
}

/** The first event of each attempt at a run. */
export function beginning({ run_id, attempt }: Pick<QueuedRun, 'run_id' | 'attempt'>): NewEvent {
  return { event: 'metadata', data: JSON.stringify({ run_id, attempt }) }
}

function named(events: NewEvent[], suffix: string): NewEvent[] {
  return suffix ? events.map((one) => ({ ...one, event: `${one.event}${suffix}` })) : events
}
