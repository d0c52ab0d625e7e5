import type { TokenOwner } from './token.ts'

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
  /**
   * The agent's to tokens of a caller and their end users, and to those that agents keep for the same
   * person; the oldest first.
   */
  listOfUser(
    query: Pick<AgentConnection, 'workspace_id' | 'agent_id'> & {
      user_id: string
      limit: number
      offset: number
    },
  ): Promise<AgentConnection[]>
  /** To which of an owner's tokens of a provider the agent is connected: their ids. */
  listTokenIds(owner: TokenOwner, to: { provider_key: string; agent_id: string }): Promise<string[]>
  get(id: string): Promise<AgentConnection | undefined>
  delete(id: string): Promise<void>
}
