/** The verb that lists a thread's past states. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '../../core/agent/authorization.ts'
import type { StateQuery } from '../../core/agent/host/states.ts'
import type { CheckpointRef } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { AnswerHold } from '../answer-budget.ts'
import { placeOf } from './state.ts'
import { openThreadGraph } from './thread-graph.ts'
import { authorizeOnThread, requireThread } from './threads.ts'

export interface HistoryQuery extends StateQuery {
  /** `checkpoint_ns`: the history of that subgraph; `checkpoint_id`: only this checkpoint. */
  checkpoint: CheckpointRef
}

/** A page of a history. */
export interface HistoryPage {
  /** Each state as JSON. */
  texts: Buffer[]
  /** The `before` of the next page, if this page was full before it had `limit` states. */
  next?: string
}

/**
 * The states at the thread's checkpoints, newest first, each read when it is requested. Throws
 * `not_found`, `bad_request`.
 */
export async function listThreadHistory(
  parts: Pick<Parts, 'store' | 'host' | 'authorize'>,
  caller: Caller,
  thread_id: string,
  query: HistoryQuery,
): Promise<AsyncIterable<ThreadState>> {
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  const thread = await requireThread(parts.store.threads, thread_id, filter)
  if ((await parts.store.checkpoints.latestId(thread_id)) === undefined) return noStates()
  const graph = await openThreadGraph(parts, thread)
  const { checkpoint, ...states } = query
  return graph.listStates({ thread_id, ...placeOf(checkpoint) }, states)
}

/**
 * Takes states until one more would make the page larger than `maxBytes`, but at least one. `show`
 * selects the fields of a state; `hold` reserves the size of the page as it grows.
 */
export async function takePage(
  states: AsyncIterable<ThreadState>,
  { maxBytes, hold }: { maxBytes: number; hold: Pick<AnswerHold, 'atLeast'> },
  show: (state: ThreadState) => object,
): Promise<HistoryPage> {
  const texts: Buffer[] = []
  let bytes = 0
  let last: string | undefined
  for await (const state of states) {
    const text = Buffer.from(JSON.stringify(show(state)))
    bytes += text.length
    if (bytes > maxBytes && last !== undefined) return { texts, next: last }
    hold.atLeast(bytes)
    texts.push(text)
    last = state.checkpoint?.checkpoint_id as string
    // Large states take long and SQLite reads block the event loop: yields to other requests.
    await nextTurn()
  }
  return { texts }
}

async function* noStates(): AsyncGenerator<ThreadState> {}
