/**
 * The agent server's end of the channel to its runtime driver, whichever it is; see
 * `core/deployment/runtime-protocol.ts`.
 */
import type { AgentMessage } from '../core/deployment/runtime-protocol.ts'

export interface DriverLink {
  /** Resolves when it is handed over; with no listening driver, when waiting is of no use. */
  send(message: AgentMessage): Promise<void>
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}
