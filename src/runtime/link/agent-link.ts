/** The driver's end of the channel to one agent server; see `core/deployment/runtime-protocol.ts`. */
import type { DriverMessage } from '../../core/deployment/runtime-protocol.ts'

export interface AgentLink {
  /** Where nobody is there to hear it, it is lost. */
  send(message: DriverMessage): void
  /** Calls back with each message. It may be anything. Answers how to unsubscribe. */
  onMessage(listener: (message: unknown) => void): () => void
}
