/**
 * One run of a graph, as its host executes it.
 *
 * ```
 * begun ──emissions──▶ completed            the graph is done, or stopped at an interrupt or breakpoint
 *           │  ├─────▶ drained              the graph stopped before its next step: it goes on from there in another run
 *           │  └─────▶ failed               the graph, or one of its calls back, has thrown
 *           └─signal─▶ stopped              once no function of its nodes is at work any more
 * ```
 */

import type { JsonValue } from '../../json.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { Channel } from '../protocol.ts'
import type { RunCommand } from '../run.ts'
import type { StreamMode } from '../stream-mode.ts'
import type { TimelineSpan } from '../timeline/timeline.ts'
import type { Emission } from './emission.ts'
import type { GraphFailure } from './failure.ts'

export interface GraphRunRequest {
  run_id: string
  /** `null`: goes on from the checkpoint. Ignored with a `command`. */
  input: JsonValue
  command?: RunCommand
  context: JsonValue
  /** The modes to emit; see `Emission`. */
  modes: readonly HostMode[]
  /** Whether to emit from subgraphs; see `Emission`. */
  subgraphs: boolean
  interrupt_before?: '*' | string[]
  interrupt_after?: '*' | string[]
  durability?: 'sync' | 'async' | 'exit'
  /** The thread has no checkpoint before the run's first, so a host need not ask for it. Default: unknown. */
  is_new_thread?: true
}

/**
 * The modes that a run may be asked to emit: the stream modes of the API, and for runs of the protocol
 *
 * - `places`, with `values` and `subgraphs`: the checkpoint of the values that come next;
 * - `model_ends`: the messages that a model has finished;
 * - `transformers`: the graph's own stream transformers take part (`GraphRun.transform`).
 */
export type HostMode = StreamMode | 'places' | 'model_ends' | 'transformers'

/** The host's calls back for this run alone. */
export interface RunCalls {
  /**
   * The run's checkpoints. A `put` of a `sync` run resolves when the checkpoint is stored, of other runs when it is in the
   * run's write buffer. It waits until the emissions before the call are taken, so the host must not hold those back
   * until the `put` resolves. Throws `conflict` in a `sync` run once the server has lost the run.
   */
  checkpoints: GraphCheckpoints
  /**
   * Reports nodes, models and tools: each when it begins and when it ends, or when much of it is known. They come in
   * any order relative to the emissions, all before `end` settles. Texts are cut off as `TIMELINE_LIMITS` says.
   */
  onSpans(spans: readonly TimelineSpan[]): void
}

export interface GraphRun {
  /**
   * The graph's emissions, in order, in batches of at least one. The next batch is pulled when the last is taken. If a
   * host lets the graph continue meanwhile, a `put` of its checkpoints (`RunCalls`) holds it back: it waits until the
   * emissions before it are taken. Never rejects. A caller that stops early calls `return` of the iterator, and waits
   * for nothing.
   *
   * Ends when the graph is done. After the signal only `model_ends` still come, and it ends once no function of the
   * graph's nodes is at work any more.
   */
  emissions: AsyncIterable<readonly Emission[]>
  /** How the graph ended. Settles after the emissions, if they were ever pulled. Never rejects. */
  end: Promise<GraphEnd>
  /** The graph's own stream transformers, if `transformers` was requested. */
  transform?: StreamTransform
  /** Asks the graph to stop before its next step. `false`: its LangGraph cannot do so. */
  drain?(): boolean
}

export type GraphEnd =
  | { kind: 'completed' }
  /** All started steps are stored. A graph may request it itself (`requestDrain`). */
  | { kind: 'drained' }
  /** After its signal, without a result of the graph. */
  | { kind: 'stopped' }
  | { kind: 'failed'; failure: GraphFailure }

/**
 * Stream transformers see the run's events in the form of the protocol, may drop some, and add others. They are called
 * in the order of the events, one call at a time.
 */
export interface StreamTransform {
  /**
   * Returns the events to send instead: a kept one by its index in the list, a new one as itself. `of`: the emission
   * that they come from, as the same object that the host emitted.
   */
  onEvents(events: ToldEvent[], of?: Emission): Transformed | Promise<Transformed>
  /** The graph is done. Returns the last new events, once every promise is settled. */
  finish(): Promise<MadeEvent[]>
  /** The run failed or was asked to stop. After `finish`, or a second time, it returns nothing. */
  fail(error: { name: string; message: string }): MadeEvent[] | Promise<MadeEvent[]>
}

export type Transformed = (number | MadeEvent)[]

export interface ToldEvent {
  method: Channel
  namespace: string[]
  /** ms since 1970 */
  timestamp: number
  node?: string
  data: JsonValue
  /** Transformers cannot drop it: the server itself needs it. */
  isKept: boolean
}

/** `method`: a channel of the protocol, or any name, which is then that of a `custom` event. */
export type MadeEvent = Pick<ToldEvent, 'namespace' | 'node' | 'data'> & { method: string }
