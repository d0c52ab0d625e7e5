/**
 * A listener: the part of a remote data plane that runs deployments of source `external_docker` in its
 * cluster. Runyard keeps the records, so that clients which ask for them work, but runs every deployment
 * itself.
 */
export interface Listener {
  id: string
  workspace_id: string
  compute_type: 'k8s'
  /** Unique in the workspace. */
  compute_id: string
  compute_config: { k8s_namespaces: string[] | null }
  version: string | null
  created_at: string
  updated_at: string
}

export interface ListenerStore {
  /** Adds the listener. `false`: the workspace has one with this `compute_id`, and nothing was written. */
  insert(listener: Listener): Promise<boolean>
  get(workspace_id: string, id: string): Promise<Listener | undefined>
  /** The listeners of one workspace, the newest first. */
  list(query: { workspace_id: string; limit: number; offset: number }): Promise<Listener[]>
  update(
    id: string,
    patch: Partial<Pick<Listener, 'compute_config' | 'version'>> & { updated_at: string },
  ): Promise<void>
  delete(id: string): Promise<void>
}
