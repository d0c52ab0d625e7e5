/**
 * What the servers of one database tell each other, so that none has to look all the time. A notice
 * only wakes: what has changed stands in the database, and one that is lost costs a slow look.
 */
export type Notice =
  /** A run can be claimed, and who tells of it has no room, or may not have its graph. */
  | { kind: 'run_waits' }
  /** A run that executes on another server is asked to end. */
  | { kind: 'cancel'; run_id: string }
  /** The log has more events of the thread; `run_id` null: of none of its runs. */
  | { kind: 'events'; thread_id: string; run_id: string | null }
  /** Some may have been lost: look at everything. Only heard, never told. */
  | { kind: 'missed' }

export interface Notices {
  /** Whether what others tell arrives now: while it does, it is enough to look seldom. */
  readonly areHeard: boolean
  /** Tells all other servers, at once or together with what else is told. Never throws. */
  tell(notice: Notice): void
  /** Calls for each notice of another server, until what is answered is called. */
  hear(onNotice: (notice: Notice) => void): () => void
  /** Sends what was told, where that is possible. A second call is harmless. */
  close(): Promise<void>
}

/** Where there is no way to tell each other: everybody has to look. */
export const noNotices: Notices = {
  areHeard: false,
  tell() {},
  hear: () => () => {},
  async close() {},
}
