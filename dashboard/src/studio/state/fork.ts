/** Writes an edited state beside what followed the checkpoint: a branch begins there. */
import type { Checkpoint, Client } from '@langchain/langgraph-sdk'
import type { State } from '../../api/thread-state.ts'
import { changedValues, correction } from './state-change.ts'

export interface Fork {
  client: Client
  threadId: string
  /** What is gone on from. */
  checkpoint: Checkpoint
  before: State
  wanted: State
  messagesKey: string | undefined
  /** The node that is taken to have written it; default: the one that wrote last. */
  asNode: string | undefined
}

/**
 * Answers the new checkpoint, whose state is as wanted. Where a reducer makes something else of a value, a second
 * checkpoint puts it right.
 */
export async function forkState(fork: Fork): Promise<Checkpoint> {
  const { before, wanted, messagesKey, checkpoint } = fork
  const written = await write(fork, checkpoint, changedValues(before, wanted, messagesKey))
  const { values } = await fork.client.threads.getState<State>(fork.threadId, written)
  const rest = correction(values, wanted, messagesKey)
  return rest ? write(fork, written, rest) : written
}

/** Nothing to send copies the checkpoint, which begins a branch as well. */
async function write(fork: Fork, checkpoint: Checkpoint, values: State): Promise<Checkpoint> {
  const { configurable } = await fork.client.threads.updateState<State | null>(fork.threadId, {
    values: Object.keys(values).length > 0 ? values : null,
    checkpoint,
    ...(fork.asNode && { asNode: fork.asNode }),
  })
  return configurable as unknown as Checkpoint
}
