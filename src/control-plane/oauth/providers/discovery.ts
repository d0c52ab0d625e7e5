/** Finds the authorization server of an MCP server, and registers a client there. */
import { randomUUID } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import { timestamp } from '../../../core/clock.ts'
import { AppError, invalidField } from '../../../core/errors.ts'
import type { Outgoing } from '../../../core/network/outgoing.ts'
import {
  type OAuthProvider,
  TOKEN_ENDPOINT_AUTH_METHODS,
  type TokenEndpointAuthMethod,
} from '../../../core/oauth/provider.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { callbackUrl } from '../consent/consents.ts'
import type { McpProviderCreateRequest, ProviderAnswer } from './provider-schemas.ts'
import { alreadyExists, checkUrls, insertProvider, newProvider } from './providers.ts'

const Text = z.string().max(2048).optional()
const Words = z.array(z.string().max(256)).max(256).optional()

/** The metadata of an authorization server that we read: the library only checks its `issuer`. */
const Metadata = z.object({
  issuer: z.string().max(2048),
  authorization_endpoint: Text,
  token_endpoint: Text,
  revocation_endpoint: Text,
  registration_endpoint: Text,
  code_challenge_methods_supported: Words,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  token_endpoint_auth_methods_supported: Words,
})
type Metadata = z.infer<typeof Metadata>

const Client = z.object({
  client_id: z.string().min(1).max(1024),
  client_secret: z.string().max(4096).optional(),
  token_endpoint_auth_method: z.string().max(256).optional(),
})

/**
 * Reads the metadata of the protected resource (RFC 9728), at the place that the server names or the usual one, and
 * of its authorization server (RFC 8414), and registers a client (RFC 7591). Throws `bad_request` with what is missing
 * there, `invalid` for a forbidden URL, `conflict` when the slug is taken.
 */
export async function discoverProvider(
  parts: OAuthParts,
  principal: Principal,
  request: McpProviderCreateRequest,
): Promise<ProviderAnswer> {
  const { outgoing } = parts.vault
  const server = new URL(request.mcp_server_url)
  const problem = outgoing.problemOf(server)
  if (problem) throw invalidField(['body', 'mcp_server_url'], problem)
  const taken = await parts.store.oauth.providers.get(principal.workspace_id, request.provider_id)
  if (taken) throw alreadyExists(taken)
  const found = await authorizationServerOf(outgoing, server).catch(asUnusable)
  const as = checked(Metadata, found, 'the metadata of its server')
  const endpoints = endpointsOf(outgoing, as)
  const client = await register(parts, { request, as })
  const { provider_id, name, mcp_server_url } = request
  const pkce = { uses_pkce: true, code_challenge_method: 'S256' } as const
  const own = {
    id: randomUUID(),
    workspace_id: principal.workspace_id,
    now: timestamp(parts.clock),
  }
  return insertProvider(parts, principal, {
    ...newProvider({ provider_id, name, ...client, ...endpoints, ...pkce }, own),
    issuer: as.issuer,
    is_issuer_sent: as.authorization_response_iss_parameter_supported ?? false,
    mcp_server_url,
    is_dynamic_client: true,
  })
}

/** Throws `bad_request` that names the wrong fields, but not their values. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string) {
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const places = error?.issues.map(({ path }) => path.join('.')).join(', ')
  throw unusable(`${what} makes no sense: ${places}`)
}

/** A URL that a server names. Throws `bad_request` for one that may not be asked. */
function askable(outgoing: Outgoing, text: string, what: string): URL {
  const url = URL.parse(text)
  const problem = url ? outgoing.problemOf(url) : 'it is no URL'
  if (url && !problem) return url
  throw unusable(`${what} cannot be asked: ${problem}`)
}

/** For the library, which has a type for each method; one function sends them all. */
function optionsOf<Options>(outgoing: Outgoing): Options {
  return {
    // `Outgoing` decides which URLs need no TLS.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) => outgoing.fetch(url, init),
  } as Options
}

/** The first that the resource names; a server without such metadata is its own, as in older MCP versions. */
async function authorizationServerOf(outgoing: Outgoing, server: URL) {
  const resource = await resourceOf(outgoing, server)
  const issuer = resource?.authorization_servers?.[0] ?? server.origin
  const url = askable(outgoing, issuer, 'its authorization server')
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const options = { algorithm, ...optionsOf<oauth.DiscoveryRequestOptions>(outgoing) }
    const response = await oauth.discoveryRequest(url, options)
    if (isAbsent(response)) continue
    return oauth.processDiscoveryResponse(url, response).catch((error: unknown) => {
      throw unusable(`the metadata of ${url.host} is not in order`, error)
    })
  }
  throw unusable(`${url.host} has no authorization server metadata`)
}

async function resourceOf(outgoing: Outgoing, server: URL) {
  const named = await namedResource(outgoing, server)
  if (named) return named
  // At the path of the server first, then at its root.
  for (const resource of [server, new URL(server.origin)]) {
    const response = await oauth.resourceDiscoveryRequest(resource, optionsOf(outgoing))
    if (isAbsent(response)) continue
    return oauth.processResourceDiscoveryResponse(resource, response).catch((error: unknown) => {
      throw unusable('its protected resource metadata is not in order', error)
    })
  }
  return undefined
}

/** The metadata that the server names in its answer to a request without a token (RFC 9728, 5.1). */
async function namedResource(outgoing: Outgoing, server: URL) {
  // A server that does not refuse needs no token; if it is down, the next request fails.
  const answer = await outgoing.fetch(server.href, INITIALIZE).catch(() => undefined)
  const challenge = answer?.headers.get('www-authenticate') ?? ''
  const text = /\bresource_metadata="([^"]{1,2048})"/i.exec(challenge)?.[1]
  if (answer?.status !== 401 || text === undefined) return undefined
  const url = askable(outgoing, text, 'the metadata that it names')
  const response = await outgoing.fetch(url.href, { headers: { accept: 'application/json' } })
  const { resource } = (await response.clone().json()) as { resource?: unknown }
  const expected = [server, new URL(server.origin)].find(({ href }) => href === resource) ?? server
  return oauth.processResourceDiscoveryResponse(expected, response).catch((error: unknown) => {
    throw unusable('the metadata that it names is not in order', error)
  })
}

/** The first request of any MCP client. */
const INITIALIZE: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'runyard', version: '1' },
    },
  }),
}

/** Servers without such a document refuse its path in many ways: unknown, forbidden, key needed. */
function isAbsent({ status }: Response): boolean {
  return status >= 400 && status < 500
}

/** Throws `bad_request` when an endpoint is missing or its URL is forbidden. */
function endpointsOf(outgoing: Outgoing, as: Metadata) {
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = as
  const auth_url = required('authorization_endpoint', authorization_endpoint)
  const token_url = required('token_endpoint', token_endpoint)
  const methods = as.code_challenge_methods_supported
  if (methods && !methods.includes('S256')) throw unusable('its server knows no PKCE with S256')
  const endpoints = { auth_url, token_url, revocation_url: revocation_endpoint ?? null }
  for (const text of Object.values(endpoints)) {
    if (text !== null && !URL.canParse(text)) throw unusable(`"${text}" in its metadata is no URL`)
  }
  try {
    checkUrls(outgoing, endpoints)
  } catch (error) {
    throw unusable(`its metadata leads astray: ${(error as AppError).message}`)
  }
  return endpoints
}

function required(name: string, value: string | undefined): string {
  if (value) return value
  throw unusable(`its authorization server has no ${name}`)
}

async function register(
  parts: OAuthParts,
  { request, as }: { request: McpProviderCreateRequest; as: Metadata },
): Promise<Pick<OAuthProvider, 'client_id' | 'client_secret' | 'token_endpoint_auth_method'>> {
  const { outgoing } = parts.vault
  const registration_endpoint = required('registration_endpoint', as.registration_endpoint)
  askable(outgoing, registration_endpoint, 'its registration_endpoint')
  const wanted = methodFor(as)
  const metadata = {
    client_name: request.name,
    redirect_uris: [callbackUrl(parts, request.provider_id)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: wanted,
  }
  try {
    const options = optionsOf<oauth.DynamicClientRegistrationRequestOptions>(outgoing)
    const server = { issuer: as.issuer, registration_endpoint }
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
    const answer = await oauth.processDynamicClientRegistrationResponse(response)
    const client = checked(Client, answer, 'the client that it registers')
    const { client_id, client_secret = null, token_endpoint_auth_method: given = wanted } = client
    return { client_id, client_secret, token_endpoint_auth_method: methodOf(given) }
  } catch (error) {
    if (error instanceof AppError) return asUnusable(error)
    throw unusable('its server does not register Runyard as a client', error)
  }
}

/** A secret if the server supports one, in the most common form; RFC 8414 defines the default. */
function methodFor(as: Metadata): TokenEndpointAuthMethod {
  const supported = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const order = ['client_secret_post', 'client_secret_basic', 'none'] as const
  return order.find((method) => supported.includes(method)) ?? 'none'
}

function methodOf(given: string): TokenEndpointAuthMethod {
  const method = TOKEN_ENDPOINT_AUTH_METHODS.find((one) => one === given)
  if (method) return method
  throw unusable(`its server wants clients to prove themselves by ${given}`)
}

/** A server that does not answer is not an error of Runyard. */
function asUnusable(error: unknown): never {
  if (error instanceof AppError && error.code === 'bad_request') throw error
  if (error instanceof AppError) throw unusable(error.message.replace(/\.$/, ''))
  throw unusable('its metadata makes no sense', error)
}

/** The library's errors carry whole responses: only the message goes to the log. */
function unusable(why: string, error?: unknown): AppError {
  const cause = error === undefined ? undefined : new Error((error as Error).message)
  return new AppError('bad_request', `The MCP server cannot be used: ${why}.`, { cause })
}
