/** OAuth providers on the wire. */
import { z } from '@hono/zod-openapi'
import {
  CODE_CHALLENGE_METHODS,
  PROVIDER_TYPES,
  TOKEN_ENDPOINT_AUTH_METHODS,
} from '../../../core/oauth/provider.ts'
import { line } from '../../operations/text.ts'

const Url = line(2048)
  .refine((text) => URL.canParse(text), 'Expected a URL')
  .openapi({ format: 'uri' })

/** The slug is part of callback paths. */
const Slug = line(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'Expected letters, digits, ".", "_" and "-"')
  .openapi({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' })

/** Parameters that the flow itself sets. */
const OWN_PARAMETERS = [
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'request',
  'request_uri',
  'scope',
  'user_scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
]

const AuthorizationParams = z
  .record(line(128).min(1), line(2048))
  .refine(
    (params) => !Object.keys(params).some((name) => OWN_PARAMETERS.includes(name.toLowerCase())),
    `Expected none of ${OWN_PARAMETERS.join(', ')}`,
  )
  .refine((params) => Object.keys(params).length <= 32, 'Expected at most 32')

const settings = {
  name: line(256).min(1),
  client_id: line(1024).min(1),
  client_secret: line(4096).nullish(),
  auth_url: Url,
  token_url: Url,
  revocation_url: Url.nullish(),
  authorization_params: AuthorizationParams.nullish(),
  allowed_redirect_uris: z.array(Url).max(32).nullish(),
  default_redirect_uri: Url.nullish(),
}

export const ProviderCreateRequestSchema = z
  .object({
    provider_id: Slug,
    ...settings,
    // Absent is not the same as `false`: only an explicit `false` turns PKCE off.
    uses_pkce: z.boolean().optional().openapi({ default: false }),
    code_challenge_method: z.enum(CODE_CHALLENGE_METHODS).default('S256'),
    provider_type: z.enum(PROVIDER_TYPES).nullish(),
    token_endpoint_auth_method: z.enum(TOKEN_ENDPOINT_AUTH_METHODS).default('client_secret_post'),
  })
  .openapi('OAuthProviderCreateRequest')

export type ProviderCreateRequest = z.infer<typeof ProviderCreateRequestSchema>

/** Absent and null members change nothing. */
export const ProviderUpdateRequestSchema = z
  .object({
    ...settings,
    name: settings.name.nullish(),
    client_id: settings.client_id.nullish(),
    auth_url: Url.nullish(),
    token_url: Url.nullish(),
    uses_pkce: z.boolean().nullish(),
    code_challenge_method: z.enum(CODE_CHALLENGE_METHODS).nullish(),
    provider_type: z.enum(PROVIDER_TYPES).nullish(),
    token_endpoint_auth_method: z.enum(TOKEN_ENDPOINT_AUTH_METHODS).nullish(),
  })
  .openapi('OAuthProviderUpdateRequest')

export type ProviderUpdateRequest = z.infer<typeof ProviderUpdateRequestSchema>

export const McpProviderCreateRequestSchema = z
  .object({ provider_id: Slug, name: line(256).min(1), mcp_server_url: Url })
  .openapi('MCPOAuthProviderCreateRequest')

export type McpProviderCreateRequest = z.infer<typeof McpProviderCreateRequestSchema>

/** Never includes the client's secret. */
export const ProviderSchema = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    provider_id: z.string(),
    name: z.string(),
    client_id: z.string(),
    auth_url: z.string(),
    token_url: z.string(),
    revocation_url: z.string().nullable(),
    uses_pkce: z.boolean(),
    code_challenge_method: z.string().nullable(),
    provider_type: z.string().nullable(),
    mcp_server_url: z.string().nullable(),
    token_endpoint_auth_method: z.string(),
    is_dynamic_client: z.boolean(),
    authorization_params: z.record(z.string(), z.string()),
    allowed_redirect_uris: z.array(z.string()),
    default_redirect_uri: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi('OAuthProviderResponse')

export type ProviderAnswer = z.infer<typeof ProviderSchema>

export const ProviderPathSchema = z.object({ provider_id: line(256) })

export const ProviderDeletedSchema = z
  .object({ message: z.string() })
  .openapi('OAuthProviderDeleted')
