/** The driver's end of the channel to one agent server; see `core/deployment/runtime-protocol.ts`. */
import type { DriverMessage } from '../../core/deployment/runtime-protocol.ts'

export interface AgentLink {
  /** The message is lost if the agent server is not connected. */
  send(message: DriverMessage): void
  /** Calls `listener` with each message, which may be anything. Returns how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}
