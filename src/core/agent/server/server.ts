/**
 * The agent server processes of one database. Each writes a row when it starts. When one of them dies,
 * the others on its host notice, and it loses its leases at once.
 */
export interface ServerRecord {
  server_id: string
  /** Names the machine and its boot: a pid is valid only there. */
  host: string
  pid: number
  started_at: string
  /** In ms since 1970; updated when the leases are renewed. */
  seen_at: number
  /** The ids of the graphs that it executes. `[]`: not known. */
  graphs: string[]
}

/**
 * A server without a sign of life for this long, in ms, executes nothing. Time in which no server could look does not
 * count.
 */
export const LOST_SERVER_MS = 15_000

export interface ServerStore {
  register(server: ServerRecord): Promise<void>
  seen(server_id: string, at: number): Promise<void>
  list(): Promise<ServerRecord[]>
  remove(server_id: string): Promise<void>
}

/**
 * What one server of several does. `all`: answers requests and executes runs. `api`: it answers requests and leaves all
 * runs to others. `worker`: it executes runs, and answers only requests about itself.
 */
export const SERVER_ROLES = ['all', 'api', 'worker'] as const
export type ServerRole = (typeof SERVER_ROLES)[number]
