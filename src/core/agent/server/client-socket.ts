/** The client of a WebSocket, as the agent server sees it. */
export interface ClientSocket {
  /**
   * Sends a text. Settles when the client has room for more: at once, or when it has received most of
   * what was sent. Texts to a client that has left are dropped.
   */
  send(text: string): Promise<void>
  /** Sends several texts, each as a message of its own, together. Settles like `send`. */
  sendAll(texts: readonly string[]): Promise<void>
  /**
   * Closes the connection. `code` is one of RFC 6455, or 4000 plus an HTTP status. A reason that is too
   * long is cut. Only the first call counts.
   */
  close(code: number, reason: string): void
  /** Calls back for each text that arrives. Texts that came earlier are not lost. */
  onText(callback: (text: string) => void): void
  /** Stops reading until `resume`, so that the client has to wait. */
  pause(): void
  resume(): void
  /** Aborts when the client has left, or when the connection was closed here. */
  readonly left: AbortSignal
}

/** Accepts a request for a WebSocket: takes the function that serves its client. */
export type AcceptSocket = (serve: (socket: ClientSocket) => void) => void
