/**
 * One run of a graph, as its host executes it.
 *
 * ```
 * begun ──emissions──▶ completed            the graph is done, or stopped at an interrupt or breakpoint
 *           │  ├─────▶ drained              the graph stopped before its next step: it goes on from there in another run
 *           │  └─────▶ failed               the graph, or what it called back for, has thrown
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
  /** `null`: goes on from the checkpoint. Not read where there is a `command`. */
  input: JsonValue
  command?: RunCommand
  context: JsonValue
  /** What is to be told; see `Emission`. */
  modes: readonly HostMode[]
  /** Whether subgraphs are told of; see `Emission`. */
  subgraphs: boolean
  interrupt_before?: '*' | string[]
  interrupt_after?: '*' | string[]
  durability?: 'sync' | 'async' | 'exit'
  /** The thread has no checkpoint before the run puts one: a host need not ask for it. Default: nobody knows. */
  is_new_thread?: true
}

/**
 * What a run may be asked to tell: the stream modes of the API, and for runs of the protocol
 *
 * - `places`, beside `values` and with `subgraphs`: which checkpoint the values belong to that come next;
 * - `model_ends`: which messages are written to their end;
 * - `transformers`: that the graph's own stream transformers take part (`GraphRun.transform`).
 */
export type HostMode = StreamMode | 'places' | 'model_ends' | 'transformers'

/** Whom the host calls for this run alone. */
export interface RunCalls {
  /**
   * What the run writes and goes on from. A `put` answers when the checkpoint is stored, which may wait for
   * the emissions that the host has handed out before the call: the host must not wait for the `put` with
   * those. Once the run is not the server's any more it throws `conflict`.
   */
  checkpoints: GraphCheckpoints
  /**
   * Hears of nodes, models and tools at work: of each when it begins and when it ends, or when much of it is known; as
   * they are then, in any order with the emissions, all of them before `end` settles. Texts are cut off as
   * `TIMELINE_LIMITS` says.
   */
  onSpans(spans: readonly TimelineSpan[]): void
}

export interface GraphRun {
  /**
   * What the graph emits, in its order, in batches of at least one. The next batch is pulled when the last is
   * taken. Where a host lets the graph go on meanwhile, a `put` of its checkpoints (`RunCalls`) holds it
   * back: that waits until the emissions before it are taken. Never rejects. Who stops early calls `return` of
   * its iterator, and waits for nothing.
   *
   * Over once the graph is done; after its signal, of which `model_ends` alone are still told, once no
   * function of its nodes is at work any more.
   */
  emissions: AsyncIterable<readonly Emission[]>
  /** How the graph has ended; settles when the emissions are over, if they were ever pulled. Never rejects. */
  end: Promise<GraphEnd>
  /** The stream transformers that the graph was compiled with; asked for by `transformers`. */
  transform?: StreamTransform
  /** Asks the graph to stop before its next step. `false`: its LangGraph cannot be asked. */
  drain?(): boolean
}

export type GraphEnd =
  | { kind: 'completed' }
  /** All steps that were begun are stored. A graph may ask for it by itself (`requestDrain`). */
  | { kind: 'drained' }
  /** After its signal: nothing is said of the graph. */
  | { kind: 'stopped' }
  | { kind: 'failed'; failure: GraphFailure }

/**
 * Stream transformers see what the run tells in the words of the protocol, may leave out some of it, and
 * add to it. They are called in the order of the events, one call after the other.
 */
export interface StreamTransform {
  /**
   * What is to be told in place of these: of an event that stays its place in the list, between what was
   * made. `of`: the emission that they come from, the very object that was handed out.
   */
  onEvents(events: ToldEvent[], of?: Emission): Transformed | Promise<Transformed>
  /** The graph is done: what was made at last, once every promise is settled. */
  finish(): Promise<MadeEvent[]>
  /** The run has failed or was told to stop. After `finish`, or a second time, it answers nothing. */
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
  /** It is told whatever they say: the server itself goes by it. */
  isKept: boolean
}

/** `method`: a channel of the protocol, or any name, which is then that of a `custom` event. */
export type MadeEvent = Pick<ToldEvent, 'namespace' | 'node' | 'data'> & { method: string }
