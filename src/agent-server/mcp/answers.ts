/** What is answered to messages of the Model Context Protocol, by its own library. */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { Context } from 'hono'
import { parseJsonAt } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import { LOOKING_MCP_METHODS, requireTalk } from '../../core/people/agent-access.ts'
import { JsonText, keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../parts.ts'
import type { CallParts } from './call.ts'
import { NOT_SUPPORTED, rpcError } from './rpc-error.ts'
import { createMcpServer } from './server.ts'

/** One message, or several. */
export async function answerMessage(
  c: Context<AgentServerEnv>,
  parts: CallParts,
  version: string,
): Promise<Response> {
  const refusal = refuseHeaders(c)
  if (refusal !== undefined) return c.json(rpcError(NOT_SUPPORTED, refusal), 400)
  const sent = parse(await c.req.text())
  if (sent === undefined) {
    return c.json(rpcError(ErrorCode.ParseError, 'The body is not valid JSON.'), 400)
  }
  const messages = readMessages(sent)
  if (!messages) {
    const what = 'The body is no JSON-RPC message of the protocol.'
    return c.json(rpcError(ErrorCode.InvalidRequest, what), 400)
  }
  for (const one of messages) {
    if ('method' in one && !LOOKING_MCP_METHODS.has(one.method))
      requireTalk(c.get('caller').role, one.method)
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
    result: async (left) => new JsonText(await (await handled(exchange, true, left)).text()),
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

function parse(text: string): JsonValue | undefined {
  try {
    // The arguments of a tool are the graph's; the library reads everything else.
    return parseJsonAt(text, ['params', 'arguments'])
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
