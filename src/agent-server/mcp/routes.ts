/** `/mcp`: the Model Context Protocol over streamable HTTP, without sessions. */
import { createRoute, z } from '@hono/zod-openapi'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { Context } from 'hono'
import type { JsonValue } from '../../core/json.ts'
import { createRoutes } from '../../http/app.ts'
import { keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import type { Parts } from '../parts.ts'
import type { CallParts } from './call.ts'
import { createMcpServer } from './server.ts'

const tags = ['MCP']
const path = '/mcp/'
const body = { 'application/json': { schema: JsonObjectSchema } }

const MessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0').optional(),
    id: z.union([z.string(), z.int()]).optional(),
    method: z
      .enum(['initialize', 'notifications/initialized', 'ping', 'tools/list', 'tools/call'])
      .optional(),
    params: JsonObjectSchema.optional(),
  })
  .openapi('McpMessage')

const post = createRoute({
  method: 'post',
  path,
  operationId: 'post_mcp',
  tags,
  summary: 'A message of the Model Context Protocol: initialize, ping, tools/list, tools/call',
  description:
    'Streamable HTTP without sessions, also at `/mcp`. Each assistant is a tool. The answer is JSON; ' +
    'a call with a progress token is answered as a stream that reports each step. A client that ' +
    'leaves cancels its run.',
  request: {
    headers: z.object({
      accept: z.literal('application/json, text/event-stream'),
    }),
    body: { content: { 'application/json': { schema: MessageSchema } }, required: true },
  },
  responses: {
    200: {
      description: 'The answer',
      content: { ...body, 'text/event-stream': { schema: z.string() } },
    },
    202: { description: 'Notifications and answers are taken without an answer' },
    400: { description: 'A JSON-RPC error: no message of the protocol', content: body },
  },
})

const get = createRoute({
  method: 'get',
  path,
  operationId: 'get_mcp',
  tags,
  summary: 'Refused: the server sends nothing by itself',
  responses: { 405: { description: 'Always', content: body } },
})

const remove = createRoute({
  method: 'delete',
  path,
  operationId: 'delete_mcp',
  tags,
  summary: 'Refused: there are no sessions that could be ended',
  responses: { 404: { description: 'Always', content: body } },
})

export function mcpRoutes(parts: Parts, version: string) {
  const routes = createRoutes<AgentServerEnv>()
  for (const route of [post, get, remove]) routes.openAPIRegistry.registerPath(route)
  for (const at of ['/mcp', path]) {
    routes.post(at, (c) => answerMessage(c, parts, version))
    routes.get(at, (c) => c.json(rpcError(NOT_SUPPORTED, 'Only POST is supported.'), 405, ALLOW))
    routes.delete(at, (c) => c.json(rpcError(NOT_SUPPORTED, 'There are no sessions.'), 404))
  }
  return routes
}

/** The answer that the protocol's own library gives to a method that it does not support. */
const NOT_SUPPORTED = -32000
const ALLOW = { allow: 'POST' }

async function answerMessage(
  c: Context<AgentServerEnv>,
  parts: CallParts,
  version: string,
): Promise<Response> {
  const refusal = refuseHeaders(c)
  if (refusal !== undefined) return c.json(rpcError(NOT_SUPPORTED, refusal), 400)
  const sent = parseJson(await c.req.text())
  if (sent === undefined) {
    return c.json(rpcError(ErrorCode.ParseError, 'The body is not valid JSON.'), 400)
  }
  const messages = readMessages(sent)
  if (!messages) {
    const what = 'The body is no JSON-RPC message of the protocol.'
    return c.json(rpcError(ErrorCode.InvalidRequest, what), 400)
  }
  if (!messages.some((one) => 'method' in one && 'id' in one))
    return c.body(null, 202, { 'content-length': '0' })
  const exchange = { c, sent, server: createMcpServer(parts, c.get('caller'), version) }
  const isStream = messages.some(hasProgressToken)
  return isStream ? answerWithStream(parts, exchange) : answerWithJson(parts, exchange)
}

interface Exchange {
  c: Context<AgentServerEnv>
  /** The body: one message, or several. */
  sent: JsonValue
  server: ReturnType<typeof createMcpServer>
}

function answerWithJson(parts: Pick<Parts, 'log'>, exchange: Exchange): Response {
  return keepAliveJson(exchange.c, {
    result: async (left) => (await handled(exchange, true, left)).json() as Promise<JsonValue>,
    log: parts.log,
  })
}

function answerWithStream(parts: Pick<Parts, 'log'>, exchange: Exchange): Response {
  return sseResponse(exchange.c, {
    source: async function* (left) {
      const { body: stream } = await handled(exchange, false, left)
      if (stream) yield* stream.pipeThrough(new TextDecoderStream())
    },
    log: parts.log,
  })
}

/** Hands the message to the library's transport. When the client leaves, its server is closed and its work ends. */
function handled(
  { c, sent, server }: Exchange,
  enableJsonResponse: boolean,
  left: AbortSignal,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse,
    keepAliveMs: 0,
  })
  return new Promise((resolve, reject) => {
    const close = () => {
      reject(left.reason)
      void server.close()
    }
    if (left.aborted) return close()
    left.addEventListener('abort', close, { once: true })
    server
      .connect(transport)
      .then(() => transport.handleRequest(c.req.raw, { parsedBody: sent }))
      .then(resolve, reject)
  })
}

function refuseHeaders(c: Context): string | undefined {
  const accept = c.req.header('accept') ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return 'The header Accept must list application/json and text/event-stream.'
  }
  const asked = c.req.header('mcp-protocol-version')
  if (asked === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(asked)) return undefined
  const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  return `The header MCP-Protocol-Version must be one of ${known}.`
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How many messages one body may hold. */
const MAX_MESSAGES = 100

/** `undefined`: these are no messages, or `initialize` came with others. */
function readMessages(sent: JsonValue): JSONRPCMessage[] | undefined {
  const all = [sent].flat()
  if (all.length === 0 || all.length > MAX_MESSAGES) return undefined
  const read = all.map((one) => JSONRPCMessageSchema.safeParse(one))
  if (!read.every((one) => one.success)) return undefined
  const messages = read.map((one) => one.data)
  return all.length > 1 && messages.some(isInitializeRequest) ? undefined : messages
}

function hasProgressToken(message: JSONRPCMessage): boolean {
  return 'method' in message && message.params?._meta?.progressToken !== undefined
}

function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0' as const, error: { code, message }, id: null }
}
