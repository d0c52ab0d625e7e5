/** One agent server from its start to its end, as its supervisor sees it, whatever it runs in. */
import type { Endpoint } from '../../core/deployment/runtime.ts'
import type { Conversation } from '../../link/conversation.ts'

export interface RunningAgent extends Omit<Conversation, 'ready' | 'release'> {
  /** Resolves when it runs: the time to become healthy is counted from there. Default: at once. */
  readonly started?: Promise<void>
  /** It ran before its driver did. If it cannot go on, that is no failure of the revision. */
  readonly isAdopted?: boolean
  /** Resolves when it reports that it listens; never if it does not get to it. */
  readonly ready: Promise<Endpoint>
  /** How it ended, as half a sentence; all that it started is gone then and its output is read. */
  readonly exited: Promise<string>
  /**
   * Resolves, with half a sentence, when it must end because of its memory use; rejects when `signal` is aborted first.
   * Never settles where something else enforces its limit.
   */
  outgrown(signal: AbortSignal): Promise<string>
  /** Asks it to end. */
  terminate(): void
  /** Ends it at once, with all that it started. */
  kill(): void
  /** Lets go of an agent server that can go on without its driver; `exited` settles. Absent: it cannot. */
  detach?(): void
}
