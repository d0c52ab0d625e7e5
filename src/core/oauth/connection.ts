import type { TokenOwner } from './token.ts'

/** An agent's connection: which of a user's accounts the agent works with. */
export interface AgentConnection {
  id: string
  workspace_id: string
  /** The application's name for its agent: mostly an assistant's id. */
  agent_id: string
  oauth_token_id: string
  /** `Principal.user_id`. */
  created_by: string
  created_at: string
}

/** A connection is removed with its token. */
export interface AgentConnectionStore {
  /** Keeps an existing one for the same agent and token; returns the one that is stored. */
  put(connection: AgentConnection): Promise<AgentConnection>
  /**
   * The agent's connections to tokens of a caller and their end users, and to those agents keep for the same person;
   * oldest first.
   */
  listOfUser(
    query: Pick<AgentConnection, 'workspace_id' | 'agent_id'> & {
      user_id: string
      limit: number
      offset: number
    },
  ): Promise<AgentConnection[]>
  /** The ids of an owner's tokens of a provider that the agent is connected to. */
  listTokenIds(owner: TokenOwner, to: { provider_key: string; agent_id: string }): Promise<string[]>
  get(id: string): Promise<AgentConnection | undefined>
  delete(id: string): Promise<void>
}
