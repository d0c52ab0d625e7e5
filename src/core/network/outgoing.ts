/** Requests to addresses from users, kept away from hosts that only this machine may reach. */

export interface Outgoing {
  /** Why the URL is refused, as a sentence; `undefined`: its text is acceptable. */
  problemOf(url: URL): string | undefined
  /**
   * Sends a request and reads the whole response. Only to public addresses over TLS, and to those that the operator
   * allows; follows no redirects. Rejects with `unavailable` if the response is late or too long, or if the URL
   * resolves to a forbidden address.
   */
  fetch(url: string, init?: RequestInit): Promise<Response>
}
