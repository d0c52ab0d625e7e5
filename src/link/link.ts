/** The two ends of the channel between a runtime driver and an agent server; `messages.ts` has what they say. */
import type { AgentMessage, DriverMessage } from './messages.ts'

/** The driver's end. */
export interface AgentLink {
  /** The message is lost if the agent server is not connected. */
  send(message: DriverMessage): void
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}

/** The agent server's end. */
export interface DriverLink {
  /** Resolves when it is handed over; with no listening driver, when waiting is of no use. */
  send(message: AgentMessage): Promise<void>
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}
