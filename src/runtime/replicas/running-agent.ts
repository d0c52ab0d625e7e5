/** One agent server from its start to its end, as its supervisor has it, whatever it runs in. */
import type { Endpoint } from '../../core/deployment/runtime.ts'
import type { Conversation } from '../link/conversation.ts'

export interface RunningAgent extends Omit<Conversation, 'ready' | 'release'> {
  /** Settles when it has begun to run: the time to become healthy is counted from there. Default: at once. */
  readonly started?: Promise<void>
  /** It ran before its driver did. That it is not fit to go on says nothing of the revision. */
  readonly isAdopted?: boolean
  /** Settles when it says that it listens; never when it does not get to it. */
  readonly ready: Promise<Endpoint>
  /** How it ended, as half a sentence; all that it started is gone then and its output is read. */
  readonly exited: Promise<string>
  /**
   * Settles, with half a sentence, when it has to be ended for the memory that it takes; rejects when
   * `signal` is aborted first. Never settles where something else holds it to its limit.
   */
  outgrown(signal: AbortSignal): Promise<string>
  /** Asks it to end. */
  terminate(): void
  /** Ends it at once, with all that it started. */
  kill(): void
  /** Lets go of one that can go on without its driver; `exited` settles. Absent: it cannot. */
  detach?(): void
}
