/**
 * A response body that is written bit by bit, with two ends: straight to the socket's response where
 * there is one, else a `ReadableStream` (requests within the process).
 */

export interface Body {
  /** More was written than the reader has taken. */
  readonly isBehind: boolean
  /** Settles when more is welcome: at once, or when the reader has caught up or left. */
  write(text: string): Promise<void>
  /** The whole of it was written. */
  end(): void
  /** It was cut short: the reader sees a broken connection, never a clean end. */
  destroy(): void
  /** Aborts when the reader left before the end; what is written then is dropped. */
  readonly left: AbortSignal
}

/** Calls back once when the reader leaves before the end, or has left already. */
export function whenLeft(body: Body, callback: () => void): void {
  if (body.left.aborted) callback()
  else body.left.addEventListener('abort', callback, { once: true })
}
