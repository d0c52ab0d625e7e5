import {
  dataOf,
  doneBy,
  type OAuthProviderCreateRequest,
  type OAuthProviderResponse,
  type OAuthTokenSummary,
} from '@runyard/client'
import { queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../api/control-plane.ts'
import { useChange } from '../api/use-change.ts'

export type Provider = OAuthProviderResponse
export type Account = OAuthTokenSummary

const { api } = controlPlane
const EVERY_MS = 10_000
const KEY = 'oauth'

export function providersQuery() {
  return queryOptions({
    queryKey: [KEY, 'providers'],
    queryFn: async () => {
      const own = await dataOf(api.GET('/v2/auth/providers'))
      const platform = await dataOf(api.GET('/v2/auth/platform-providers'))
      return { own, platform }
    },
    refetchInterval: EVERY_MS,
  })
}

export function accountsQuery() {
  return queryOptions({
    queryKey: [KEY, 'tokens'],
    queryFn: () => dataOf(api.GET('/v2/auth/tokens', { params: { query: { limit: 1_000 } } })),
    refetchInterval: EVERY_MS,
  })
}

export function eventsQuery() {
  return queryOptions({
    queryKey: [KEY, 'events'],
    queryFn: () => dataOf(api.GET('/v2/auth/token-events', { params: { query: { limit: 100 } } })),
    refetchInterval: EVERY_MS,
  })
}

export function agentQuery(agent_id: string) {
  return queryOptions({
    queryKey: [KEY, 'agents', agent_id],
    queryFn: async () => {
      const params = { path: { agent_id } }
      const { data } = await dataOf(api.GET('/v2/auth/agents/{agent_id}/connections', { params }))
      return data
    },
    enabled: agent_id !== '',
  })
}

/** A change; all data of the vault is read again after it. */
export function useVaultAction() {
  return useChange([KEY])
}

export const vault = {
  createProvider: (body: OAuthProviderCreateRequest) =>
    dataOf(api.POST('/v2/auth/providers', { body })),
  discoverProvider: (body: { provider_id: string; name: string; mcp_server_url: string }) =>
    dataOf(api.POST('/v2/auth/providers/mcp-discover', { body })),
  deleteProvider: (provider_id: string) =>
    dataOf(api.DELETE('/v2/auth/providers/{provider_id}', { params: { path: { provider_id } } })),
  /** Returns the link where the user connects an account. */
  connect: (provider: string, scopes: string[]) =>
    dataOf(
      api.POST('/v2/auth/authenticate', {
        body: { provider, scopes, force_new: true, is_default: false },
      }),
    ),
  label: (token_id: string, provider_account_label: string) =>
    dataOf(
      api.PATCH('/v2/auth/tokens/{token_id}/metadata', {
        params: { path: { token_id } },
        body: { provider_account_label },
      }),
    ),
  makeDefault: (token_id: string) =>
    dataOf(
      api.PATCH('/v2/auth/tokens/{token_id}/metadata', {
        params: { path: { token_id } },
        body: { is_default: true },
      }),
    ),
  deleteAccount: (token_id: string) =>
    doneBy(api.DELETE('/v2/auth/tokens/{token_id}', { params: { path: { token_id } } })),
  connectAgent: (agent_id: string, oauth_token_id: string) =>
    dataOf(
      api.POST('/v2/auth/agents/{agent_id}/connections', {
        params: { path: { agent_id } },
        body: { oauth_token_id },
      }),
    ),
  disconnectAgent: (agent_id: string, connection_id: string) =>
    doneBy(
      api.DELETE('/v2/auth/agents/{agent_id}/connections/{connection_id}', {
        params: { path: { agent_id, connection_id } },
      }),
    ),
}
