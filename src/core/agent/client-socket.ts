/** A WebSocket's client, as the agent server talks to it. */
export interface ClientSocket {
  /**
   * Sends a text, and settles when more is welcome: at once, or when the client has taken most of what
   * was sent. What is sent to one that has left is dropped.
   */
  send(text: string): Promise<void>
  /**
   * `code` as RFC 6455 has it, or 4000 and an HTTP status. A reason that is too long is cut. Once is
   * enough.
   */
  close(code: number, reason: string): void
  /** Calls back with each text that comes; none is lost before. */
  onText(callback: (text: string) => void): void
  /** Nothing more is read until `resume`: the client is made to wait. */
  pause(): void
  resume(): void
  /** Aborts when the client has left, or was told to. */
  readonly left: AbortSignal
}

/** What a request that wants a WebSocket brings along: takes what is to be done with its client. */
export type AcceptSocket = (serve: (socket: ClientSocket) => void) => void
