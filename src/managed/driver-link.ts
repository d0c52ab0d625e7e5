/**
 * The agent server's end of the channel to its runtime driver, whichever it is; see
 * `core/deployment/runtime-protocol.ts`.
 */
import type { AgentMessage } from '../core/deployment/runtime-protocol.ts'

export interface DriverLink {
  /** Settles when it is handed over; where nobody listens, when there is no use in waiting. */
  send(message: AgentMessage): Promise<void>
  /** Calls back with each message. It may be anything. Answers how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}
