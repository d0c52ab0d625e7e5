/** A workspace. Its deployments, keys and records are separate from those of all others. */
export interface Workspace {
  id: string
  name: string
  created_at: string
}

export interface WorkspaceStore {
  insert(workspace: Workspace): Promise<void>
  get(id: string): Promise<Workspace | undefined>
  /** The oldest first. */
  list(page: { limit: number; offset: number }): Promise<Workspace[]>
  rename(id: string, name: string): Promise<void>
  /** Removes the workspace with its API keys, sessions, listeners, OAuth providers and tokens. Its audit log stays. */
  delete(id: string): Promise<void>
}
