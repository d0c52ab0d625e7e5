/** Writes an edited state to a checkpoint as a new branch. */
import type { Checkpoint, Client } from '@langchain/langgraph-sdk'
import type { State } from '../../api/thread-state.ts'
import { changedValues, correction } from './state-change.ts'

export interface Fork {
  client: Client
  threadId: string
  /** The checkpoint to fork from. */
  checkpoint: Checkpoint
  before: State
  wanted: State
  messagesKey: string | undefined
  /** The node to write as; default: the one that wrote last. */
  asNode: string | undefined
}

/**
 * Returns the new checkpoint, which has the wanted state. If a reducer changes a value, a second checkpoint corrects
 * it.
 */
export async function forkState(fork: Fork): Promise<Checkpoint> {
  const { before, wanted, messagesKey, checkpoint } = fork
  const written = await write(fork, checkpoint, changedValues(before, wanted, messagesKey))
  const { values } = await fork.client.threads.getState<State>(fork.threadId, written)
  const rest = correction(values, wanted, messagesKey)
  return rest ? write(fork, written, rest) : written
}

/** Without changed values it copies the checkpoint, which starts a branch as well. */
async function write(fork: Fork, checkpoint: Checkpoint, values: State): Promise<Checkpoint> {
  const { configurable } = await fork.client.threads.updateState<State | null>(fork.threadId, {
    values: Object.keys(values).length > 0 ? values : null,
    checkpoint,
    ...(fork.asNode && { asNode: fork.asNode }),
  })
  return configurable as unknown as Checkpoint
}
