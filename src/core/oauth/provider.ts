/** OAuth providers, and how Runyard communicates with each. */

/** Providers with special rules. */
export const PROVIDER_TYPES = ['microsoft', 'salesforce', 'slack'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

/** How a client authenticates at the token endpoint. `none`: it is public. */
export const TOKEN_ENDPOINT_AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
] as const
export type TokenEndpointAuthMethod = (typeof TOKEN_ENDPOINT_AUTH_METHODS)[number]

export const CODE_CHALLENGE_METHODS = ['S256', 'plain'] as const
type CodeChallengeMethod = (typeof CODE_CHALLENGE_METHODS)[number]

/** The fields of a provider on the wire, and its secret, which is encrypted in the database. */
export interface OAuthProvider {
  id: string
  workspace_id: string
  /** Its slug, e.g. `github`; unique in its workspace. */
  provider_id: string
  name: string
  client_id: string
  /** `null`: the client is public. Never in a response. */
  client_secret: string | null
  auth_url: string
  token_url: string
  /** Where tokens are revoked; `null`: nowhere. */
  revocation_url: string | null
  /** From its metadata; `null`: unknown, so the `iss` of a callback proves nothing. */
  issuer: string | null
  /** Its metadata promises an `iss` with each callback (RFC 9207): one without it is refused. */
  is_issuer_sent: boolean
  /** As configured. `challengeMethodOf` decides whether PKCE is used. */
  uses_pkce: boolean
  /** `null`: the challenge was switched off explicitly. */
  code_challenge_method: CodeChallengeMethod | null
  provider_type: ProviderType | null
  token_endpoint_auth_method: TokenEndpointAuthMethod
  /** The MCP server that led to it. */
  mcp_server_url: string | null
  /** Whether Runyard registered the client itself. */
  is_dynamic_client: boolean
  /** Further parameters of the authorization URL. */
  authorization_params: Record<string, string>
  /** Pages of applications where a consent may end, instead of Runyard's own. */
  allowed_redirect_uris: string[]
  /** The default among them; `null`: Runyard's own. */
  default_redirect_uri: string | null
  created_at: string
  updated_at: string
}

/** The client has no secret: anyone with its id can pretend to be it. */
export function isPublicClient(
  provider: Pick<OAuthProvider, 'client_secret' | 'token_endpoint_auth_method'>,
): boolean {
  return provider.token_endpoint_auth_method === 'none' || provider.client_secret === null
}

/**
 * The challenge that goes with a consent; `null`: none. Without one, a code stolen from another consent is accepted, so
 * a confidential client omits it only if configured, and a public client never.
 */
export function challengeMethodOf(provider: OAuthProvider): CodeChallengeMethod | null {
  return isPublicClient(provider) ? 'S256' : provider.code_challenge_method
}

type OAuthProviderPatch = Pick<OAuthProvider, 'updated_at'> &
  Partial<Omit<OAuthProvider, 'id' | 'workspace_id' | 'provider_id' | 'created_at'>>

export interface OAuthProviderStore {
  /** `false`: the slug is taken in the workspace. */
  insert(provider: OAuthProvider): Promise<boolean>
  /** By its slug. */
  get(workspace_id: string, provider_id: string): Promise<OAuthProvider | undefined>
  /** By its own id, in any workspace. */
  find(id: string): Promise<OAuthProvider | undefined>
  /** All of the workspace, by slug. */
  list(workspace_id: string): Promise<OAuthProvider[]>
  update(id: string, patch: OAuthProviderPatch): Promise<void>
  /** Removes it with its consents. The caller takes care of its tokens. */
  delete(id: string): Promise<void>
}
