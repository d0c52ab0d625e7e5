/**
 * The servers of one database send each other notices, so that they need not poll all the time. A notice carries no
 * data: its receiver reads the database. A lost notice costs only time, since each server also polls now and then.
 */
export type Notice =
  /** A run can be claimed; the sender has no room for it, or may not have its graph. */
  | { kind: 'run_waits' }
  /** A run that another server executes was asked to end. */
  | { kind: 'cancel'; run_id: string }
  /** The thread's log has new events. `run_id` null: they belong to none of its runs. */
  | { kind: 'events'; thread_id: string; run_id: string | null }
  /** Notices may have been lost: check everything. Only for subscribers; never published. */
  | { kind: 'missed' }

export interface Notices {
  /** Whether the notices of other servers arrive now. While they do, polling seldom is enough. */
  readonly isConnected: boolean
  /** Sends the notice to all other servers, at once or together with others. Never throws. */
  publish(notice: Notice): void
  /** Calls `onNotice` for each notice of another server. The returned function ends that. */
  subscribe(onNotice: (notice: Notice) => void): () => void
  /** Sends what is still waiting, if possible. A second call is harmless. */
  close(): Promise<void>
}

/** For servers that cannot reach each other: each must poll. */
export const noNotices: Notices = {
  isConnected: false,
  publish() {},
  subscribe: () => () => {},
  async close() {},
}
