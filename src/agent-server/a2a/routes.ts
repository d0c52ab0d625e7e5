/** `/a2a/{assistant_id}`: the Agent2Agent protocol, versions 1.0 and 0.3, as JSON-RPC; and the cards. */
import { A2A_VERSION_HEADER, AgentCard, formatSSEEvent } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { AppError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { createRoutes } from '../../http/app.ts'
import { keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { AppConfig } from '../app-config.ts'
import { takesMessages } from '../assistants/graph.ts'
import { resolveAssistant } from '../assistants/verbs.ts'
import { AssistantIdSchema, AssistantPathSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema } from '../operations/json.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { agentCard, mergeCards } from './card.ts'
import { type A2AParts, createA2AHandler } from './methods.ts'
import { isCurrentVersion, type Rpc, readRpc } from './rpc.ts'

const tags = ['A2A']
const card = { 'application/json': { schema: JsonObjectSchema } }
const CARD_ANSWER = {
  description:
    'The card, as the version of the protocol in the header A2A-Version has it; without the header ' +
    'with the fields of both versions',
  content: card,
}
const versionHeader = z.object({ 'a2a-version': z.string().optional() })
const WELL_KNOWN = '/.well-known/agent-card.json'

const getCard = createRoute({
  method: 'get',
  path: WELL_KNOWN,
  operationId: 'get_agent_card',
  tags,
  summary: "An assistant's card; without `assistant_id` that of the project's first graph",
  request: {
    query: z.object({ assistant_id: AssistantIdSchema.optional() }),
    headers: versionHeader,
  },
  responses: { 200: CARD_ANSWER, ...refusals(400, 404, 422) },
})

const getAssistantCard = createRoute({
  method: 'get',
  path: `/a2a/{assistant_id}${WELL_KNOWN}`,
  operationId: 'get_assistant_agent_card',
  tags,
  summary: "An assistant's card",
  request: { params: AssistantPathSchema, headers: versionHeader },
  responses: { 200: CARD_ANSWER, ...refusals(400, 404, 422) },
})

const LEGACY_METHODS = [
  'message/send',
  'message/stream',
  'tasks/get',
  'tasks/cancel',
  'tasks/resubscribe',
  'tasks/pushNotificationConfig/set',
  'tasks/pushNotificationConfig/get',
  'tasks/pushNotificationConfig/list',
  'tasks/pushNotificationConfig/delete',
  'agent/getAuthenticatedExtendedCard',
] as const

const METHODS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const

const RpcRequestSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int(), z.null()]).optional(),
    method: z.enum([...LEGACY_METHODS, ...METHODS]),
    params: JsonObjectSchema.optional(),
  })
  .openapi('A2ARequest')

const RpcAnswerSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int(), z.null()]),
    result: JsonObjectSchema.optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: JsonValueSchema.optional() })
      .optional(),
  })
  .openapi('A2AAnswer')

const post = createRoute({
  method: 'post',
  path: '/a2a/{assistant_id}',
  operationId: 'post_a2a',
  tags,
  summary: 'A request of the Agent2Agent protocol',
  description:
    'In the methods of version 0.3 (message/send) and 1.0 (SendMessage). A context is a thread, a ' +
    'task is a run; a run that stops to ask something is a task in input-required, which a message ' +
    'with its taskId goes on with.',
  request: {
    params: AssistantPathSchema,
    headers: versionHeader.extend({
      accept: z.string().optional(),
      'idempotency-key': z.string().optional(),
    }),
    body: { content: { 'application/json': { schema: RpcRequestSchema } }, required: true },
  },
  responses: {
    200: {
      description: 'The answer, or an error of JSON-RPC; a stream of answers for streaming methods',
      content: {
        'application/json': { schema: RpcAnswerSchema },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...refusals(404),
  },
})

export function a2aRoutes(parts: Parts, settings: AppConfig) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openAPIRegistry.registerPath(post)
  routes.openapi(getCard, async (c) => {
    const { assistant_id = firstGraph(parts) } = c.req.valid('query')
    return (await answerCard(c, parts, settings, assistant_id)) as never
  })
  routes.openapi(getAssistantCard, async (c) => {
    const { assistant_id } = c.req.valid('param')
    return (await answerCard(c, parts, settings, assistant_id)) as never
  })
  routes.post('/a2a/:assistant_id', (c) => answerRequest(c, parts, settings))
  return routes
}

function firstGraph(parts: Pick<Parts, 'host'>): string {
  const [first] = parts.host.graphs.keys()
  if (first !== undefined) return first
  throw new AppError('not_found', 'This project has no graphs.')
}

async function answerCard(
  c: Context<AgentServerEnv>,
  parts: A2AParts,
  settings: AppConfig,
  id: string,
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

async function answerRequest(
  c: Context<AgentServerEnv>,
  parts: A2AParts,
  settings: AppConfig,
): Promise<Response> {
  const left = new AbortController()
  const id = c.req.param('assistant_id') ?? ''
  const handler = await handlerOf(c, parts, settings, { id, signal: left.signal })
  const rpc = readRpc(await c.req.text(), c.req.header('a2a-version'))
  if (rpc.isStreaming) return answerStream(c, parts, { rpc, handler, left })
  return keepAliveJson(c, {
    result: async () => (await rpc.handle(handler)) as JsonValue,
    onDisconnect: () => left.abort(),
    log: parts.log,
  })
}

interface Streaming {
  rpc: Rpc
  handler: A2ARequestHandler
  /** Aborted when the client leaves. */
  left: AbortController
}

/** What goes wrong before the first event is answered as a single error. */
async function answerStream(
  c: Context<AgentServerEnv>,
  parts: Pick<Parts, 'log'>,
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
  parts: A2AParts,
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

/** Where the client sees the server: behind proxies, the gateway's prefix and the project's own. */
function baseUrlOf(c: Context, { publicUrl, gatewayToken, http }: AppConfig): string {
  const { protocol, host } = new URL(c.req.url)
  const forwarded = (name: string) => c.req.header(`x-forwarded-${name}`)?.split(',')[0]?.trim()
  const prefix = forwarded('prefix') ?? ''
  // Behind the gateway and without a prefix a deployment has a host name of its own.
  const isBelow = gatewayToken === undefined || prefix !== ''
  const path = `${prefix}${http?.mountPrefix ?? ''}`
  if (publicUrl !== undefined && isBelow) return `${publicUrl}${path}`
  const scheme = forwarded('proto') ?? protocol.replace(':', '')
  return `${scheme}://${forwarded('host') ?? host}${path}`
}
