/** An agent's connection: which of a user's accounts the agent works with. */
export interface AgentConnection {
  id: string
  workspace_id: string
  /** As the application names its agent: an assistant's id, mostly. */
  agent_id: string
  oauth_token_id: string
  /** `Principal.user_id`. */
  created_by: string
  created_at: string
}

/** A connection goes with its token. */
export interface AgentConnectionStore {
  /** Keeps the one that is there for the same agent and token; answers the one that holds. */
  put(connection: AgentConnection): Promise<AgentConnection>
  /** The agent's, the oldest first. */
  list(workspace_id: string, agent_id: string): Promise<AgentConnection[]>
  delete(id: string): Promise<void>
}
