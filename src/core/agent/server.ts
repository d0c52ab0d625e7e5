/**
 * The agent server processes that work on one database. Each writes a row when it starts; those of
 * the same host that are no longer alive are known dead and lose their leases at once.
 */
export interface ServerRecord {
  server_id: string
  /** Identifies the machine and its boot: a pid means something only there. */
  host: string
  pid: number
  started_at: string
  /** ms since 1970; renewed with the leases */
  seen_at: number
  /** The ids of the graphs that it executes. `[]`: it has not said. */
  graphs: string[]
}

/** Who was not seen for this long, in ms, though it could have been, executes nothing. */
export const LOST_SERVER_MS = 15_000

export interface ServerStore {
  register(server: ServerRecord): Promise<void>
  seen(server_id: string, at: number): Promise<void>
  list(): Promise<ServerRecord[]>
  remove(server_id: string): Promise<void>
}
