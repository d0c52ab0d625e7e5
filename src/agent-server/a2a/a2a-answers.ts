/** Answers Agent2Agent requests, and those for an assistant's card, with the protocol's own library. */

import { A2A_VERSION_HEADER, AgentCard, formatSSEEvent, type SecurityScheme } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import type { Context } from 'hono'
import type { Assistant } from '../../core/agent/assistant.ts'
import { AppError } from '../../core/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { LOOKING_A2A_METHODS, requireTalk } from '../../core/people/agent-access.ts'
import { keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { AppConfig, Parts } from '../agent-server-parts.ts'
import { takesMessages } from '../assistants/assistant-graph.ts'
import { resolveAssistant } from '../assistants/assistants.ts'
import { createA2AHandler } from './methods.ts'
import { isCurrentVersion, type Rpc, readRpc } from './rpc.ts'

/** An assistant's card; without `id`, the card of the project's first graph. */
export async function answerCard(
  c: Context<AgentServerEnv>,
  parts: Parts,
  settings: AppConfig,
  id: string = firstGraph(parts),
): Promise<Response> {
  const handler = await handlerOf(c, parts, settings, { id, signal: new AbortController().signal })
  c.header('vary', A2A_VERSION_HEADER, { append: true })
  const version = c.req.header('a2a-version')
  const current = AgentCard.toJSON(await handler.getAgentCard()) as JsonObject
  if (isCurrentVersion(version)) return c.json(current)
  const legacy = await legacyCard(handler)
  return c.json(version ? legacy : mergeCards(current, legacy))
}

async function legacyCard(handler: A2ARequestHandler): Promise<JsonObject> {
  const method = 'agent/getAuthenticatedExtendedCard'
  const request = { jsonrpc: '2.0', id: null, method }
  const legacy = new LegacyJsonRpcTransportHandler(handler)
  const answer = await legacy.handle(request, new ServerCallContext())
  return (answer as unknown as { result: JsonObject }).result
}

/** A request of the protocol, in JSON-RPC. */
export async function answerRequest(
  c: Context<AgentServerEnv>,
  parts: Parts,
  settings: AppConfig,
): Promise<Response> {
  const left = new AbortController()
  const id = c.req.param('assistant_id') ?? ''
  const handler = await handlerOf(c, parts, settings, { id, signal: left.signal })
  const rpc = readRpc(await c.req.text(), c.req.header('a2a-version'))
  if (!LOOKING_A2A_METHODS.has(rpc.method))
    requireTalk(c.get('caller').role, `the method "${rpc.method.slice(0, 100)}"`)
  if (rpc.isStreaming) return answerStream(c, parts, { rpc, handler, left })
  return keepAliveJson(c, {
    result: async () => (await rpc.handle(handler)) as JsonValue,
    onDisconnect: () => left.abort(),
    log: parts.log,
  })
}

function firstGraph(parts: Parts): string {
  const [first] = parts.host.graphs.keys()
  if (first !== undefined) return first
  throw new AppError('not_found', 'This project has no graphs.')
}

interface Streaming {
  rpc: Rpc
  handler: A2ARequestHandler
  /** Aborted when the client leaves. */
  left: AbortController
}

/** An error before the first event becomes a single error answer. */
async function answerStream(
  c: Context<AgentServerEnv>,
  parts: Parts,
  { rpc, handler, left }: Streaming,
): Promise<Response> {
  const answered = (await rpc.handle(handler)) as JsonObject | AsyncIterable<unknown>
  if (!(Symbol.asyncIterator in answered)) return c.json(answered)
  const events = (answered as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  let first: IteratorResult<unknown>
  try {
    first = await events.next()
  } catch (error) {
    return c.json(rpc.refuse(error))
  }
  return sseResponse(c, {
    source: async function* () {
      for (let next = first; !next.done; next = await events.next()) {
        yield formatSSEEvent(next.value)
      }
    },
    onDisconnect: () => left.abort(),
    log: parts.log,
  })
}

async function handlerOf(
  c: Context<AgentServerEnv>,
  parts: Parts,
  settings: AppConfig,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<A2ARequestHandler> {
  const caller = c.get('caller')
  const assistant = await resolveAssistant(parts, caller, id)
  const { assistant_id } = assistant
  const hasMessages = await takesMessages(parts, assistant)
  const { version, apiKeys, gatewayToken, auth } = settings
  const needsKey = !auth && (apiKeys.length > 0 || gatewayToken !== undefined)
  const hasPushNotifications = !settings.http?.disabled.has('webhooks')
  const baseUrl = baseUrlOf(c, settings)
  const about = { assistant, version, needsKey, hasMessages, hasPushNotifications, baseUrl }
  return createA2AHandler({
    parts,
    caller,
    card: agentCard(about),
    assistant_id,
    hasMessages,
    idempotencyKey: c.req.header('idempotency-key'),
    signal,
  })
}

/** The server's URL as the client sees it, with the prefixes of proxies, the gateway and the project. */
function baseUrlOf(c: Context, { publicUrl, gatewayToken, http }: AppConfig): string {
  const { protocol, host } = new URL(c.req.url)
  const forwarded = (name: string) => c.req.header(`x-forwarded-${name}`)?.split(',')[0]?.trim()
  const prefix = forwarded('prefix') ?? ''
  // Behind the gateway, a deployment without a prefix has its own host name.
  const isBelow = gatewayToken === undefined || prefix !== ''
  const path = `${prefix}${http?.mountPrefix ?? ''}`
  if (publicUrl !== undefined && isBelow) return `${publicUrl}${path}`
  const scheme = forwarded('proto') ?? protocol.replace(':', '')
  return `${scheme}://${forwarded('host') ?? host}${path}`
}

/** The card of an assistant, which other agents read before they talk to it. */
interface CardAbout {
  assistant: Assistant
  /** The server's URL as its clients see it, without a trailing slash. */
  baseUrl: string
  /** The server's version. */
  version: string
  hasMessages: boolean
  /** Whether the project has webhooks, which carry push notifications. */
  hasPushNotifications: boolean
  /** Whether the server, or its gateway, requires a key. The card does not describe a project's own auth. */
  needsKey: boolean
}

/** The card lists both protocol versions at one address. */
function agentCard({ assistant, baseUrl, version, ...about }: CardAbout): AgentCard {
  const { assistant_id, graph_id, name } = assistant
  const description = assistant.description || `The agent "${name}".`
  const at = { url: `${baseUrl}/a2a/${assistant_id}`, protocolBinding: 'JSONRPC', tenant: '' }
  const skill = { id: graph_id, name, description, tags: [graph_id] }
  return {
    name,
    description,
    supportedInterfaces: [
      { ...at, protocolVersion: '1.0' },
      { ...at, protocolVersion: '0.3' },
    ],
    provider: undefined,
    version: `${version}+${assistant.version}`,
    capabilities: {
      streaming: true,
      pushNotifications: about.hasPushNotifications,
      extensions: [],
      extendedAgentCard: true,
    },
    securitySchemes: about.needsKey ? SCHEMES : {},
    securityRequirements: about.needsKey
      ? Object.keys(SCHEMES).map((scheme) => ({ schemes: { [scheme]: { list: [] } } }))
      : [],
    defaultInputModes: about.hasMessages ? ['text/plain', ...DATA, ...FILES] : DATA,
    defaultOutputModes: about.hasMessages ? ['text/plain', ...DATA] : DATA,
    skills: [{ ...skill, examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
    signatures: [],
  }
}

/**
 * One card with the fields of both protocol versions, for clients that do not send a version. Objects
 * of the same name are merged, and lists element by element.
 */
function mergeCards(current: JsonObject, legacy: JsonObject): JsonObject {
  const merged: JsonObject = { ...legacy }
  for (const [name, value] of Object.entries(current)) merged[name] = merge(value, legacy[name])
  return merged
}

function merge(one: JsonValue, other: JsonValue | undefined): JsonValue {
  if (isObject(one) && isObject(other)) return mergeCards(one, other)
  if (!Array.isArray(one) || !Array.isArray(other)) return one
  return one.map((element, place) => merge(element, other[place]))
}

const DATA = ['application/json']
const FILES = ['image/*', 'audio/*', 'video/*', 'application/pdf']

const SCHEMES: Record<string, SecurityScheme> = {
  apiKey: {
    scheme: {
      $case: 'apiKeySecurityScheme',
      value: { description: 'An API key.', location: 'header', name: 'X-Api-Key' },
    },
  },
  bearer: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { description: 'An API key as a bearer token.', scheme: 'bearer', bearerFormat: '' },
    },
  },
}
