/** Requests to addresses that somebody else has named, kept away from what only this machine may reach. */

export interface Outgoing {
  /** Why no request may go to the URL, as a sentence; `undefined`: as far as its text says, it may. */
  problemOf(url: URL): string | undefined
  /**
   * Sends a request and reads the whole answer. Goes to public addresses only, over TLS, and to those
   * that the operator allows; follows no redirects. Rejects with `unavailable` when there is no answer
   * in time, when it is too long, and when the URL stands for an address that may not be reached.
   */
  fetch(url: string, init?: RequestInit): Promise<Response>
}
