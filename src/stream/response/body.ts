/**
 * A response body that is written piece by piece. There are two kinds: one writes to the socket's
 * response, the other is a `ReadableStream` for requests within the process.
 */

export interface Body {
  /** Whether the reader has not taken everything that was written. */
  readonly isBehind: boolean
  /**
   * Writes text, or its bytes in UTF-8. Settles when there is room for more: at once, or when the reader
   * has caught up or left.
   */
  write(text: string | Uint8Array): Promise<void>
  /** The body is complete. */
  end(): void
  /** Cuts the body short. The reader sees a broken connection, never a clean end. */
  destroy(): void
  /** Aborts when the reader leaves before the end. Further writes are dropped. */
  readonly left: AbortSignal
}

/** Calls back once: when the reader leaves before the end, or at once if it has left. */
export function whenLeft(body: Body, callback: () => void): void {
  if (body.left.aborted) callback()
  else body.left.addEventListener('abort', callback, { once: true })
}
