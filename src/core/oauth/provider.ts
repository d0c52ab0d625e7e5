/** OAuth providers: whose consent people can give, and how Runyard speaks with each. */

/** Providers with ways of their own. */
export const PROVIDER_TYPES = ['microsoft', 'salesforce', 'slack'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

/** How a client proves itself where codes become tokens. `none`: it is public. */
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
  /** The slug that people name it by, e.g. `github`; one of its workspace. */
  provider_id: string
  name: string
  client_id: string
  /** `null`: the client is public. Never answered. */
  client_secret: string | null
  auth_url: string
  token_url: string
  /** Where tokens are given back; `null`: nowhere. */
  revocation_url: string | null
  /** As its metadata names it; `null`: not known, so that the `iss` of a callback proves nothing. */
  issuer: string | null
  /** Its metadata promises an `iss` with each callback (RFC 9207), so that one without it is refused. */
  is_issuer_sent: boolean
  /** What was asked for. Whether PKCE is sent is for `challengeMethodOf` to say. */
  uses_pkce: boolean
  /** `null`: somebody said explicitly that the provider does not get a challenge. */
  code_challenge_method: CodeChallengeMethod | null
  provider_type: ProviderType | null
  token_endpoint_auth_method: TokenEndpointAuthMethod
  /** The MCP server that it was found by. */
  mcp_server_url: string | null
  /** Whether Runyard has registered the client itself. */
  is_dynamic_client: boolean
  /** What the person's browser is sent there with besides. */
  authorization_params: Record<string, string>
  /** Pages of applications that a consent may end at instead of Runyard's own. */
  allowed_redirect_uris: string[]
  /** The one of them that is taken where a request names none; `null`: Runyard's own. */
  default_redirect_uri: string | null
  created_at: string
  updated_at: string
}

/** Nothing secret proves who the client is: whoever has its id can say to be it. */
export function isPublicClient(
  provider: Pick<OAuthProvider, 'client_secret' | 'token_endpoint_auth_method'>,
): boolean {
  return provider.token_endpoint_auth_method === 'none' || provider.client_secret === null
}

/**
 * The challenge that goes with a consent; `null`: none. Without one, a code that was stolen from another
 * consent is taken, so a confidential client leaves it out only when told to, and a public client never.
 */
export function challengeMethodOf(provider: OAuthProvider): CodeChallengeMethod | null {
  return isPublicClient(provider) ? 'S256' : provider.code_challenge_method
}

type OAuthProviderPatch = Pick<OAuthProvider, 'updated_at'> &
  Partial<Omit<OAuthProvider, 'id' | 'workspace_id' | 'provider_id' | 'created_at'>>

export interface OAuthProviderStore {
  /** `false`: the workspace has one of this slug already. */
  insert(provider: OAuthProvider): Promise<boolean>
  /** By its slug. */
  get(workspace_id: string, provider_id: string): Promise<OAuthProvider | undefined>
  /** By its own id, of whichever workspace. */
  find(id: string): Promise<OAuthProvider | undefined>
  /** The workspace's, by slug. */
  list(workspace_id: string): Promise<OAuthProvider[]>
  update(id: string, patch: OAuthProviderPatch): Promise<void>
  /** Removes it with its consents. Its tokens are the business of who asks. */
  delete(id: string): Promise<void>
}
