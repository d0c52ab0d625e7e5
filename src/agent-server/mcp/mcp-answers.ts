/** Answers messages of the Model Context Protocol through its own library, in both of its eras. */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { parseJsonAt } from '../../core/exact-json.ts'
import { isObject, type JsonValue } from '../../core/json.ts'
import { LOOKING_MCP_METHODS, requireTalk } from '../../core/people/agent-access.ts'
import { JsonText, keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { CallParts } from './call.ts'
import { createMcpServer } from './mcp-server.ts'
import { NOT_SUPPORTED, rpcError } from './rpc-error.ts'

/**
 * Answers the body of a POST. A message is modern if it names its protocol version in `_meta`, or in a header of
 * 2026-07-28 or later. All others are legacy: one message, or several.
 */
export async function answerMessage(
  c: Context<AgentServerEnv>,
  parts: CallParts,
  version: string,
): Promise<Response> {
  const sent = parse(await c.req.text())
  if (sent === undefined) {
    return c.json(rpcError(ProtocolErrorCode.ParseError, 'The body is not valid JSON.'), 400)
  }
  const isLegacy = await isLegacyRequest(c.req.raw, sent)
  const accept = c.req.header('accept') ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    const how = 'The header Accept must list application/json and text/event-stream.'
    return c.json(rpcError(NOT_SUPPORTED, how), isLegacy ? 400 : 406)
  }
  for (const method of methodsOf(sent)) {
    if (!LOOKING_MCP_METHODS.has(method)) requireTalk(c.get('caller').role, method)
  }
  const exchange = { c, sent, server: () => createMcpServer(parts, c.get('caller'), version) }
  return isLegacy ? answerLegacy(parts, exchange) : answerModern(exchange)
}

interface Exchange {
  c: Context<AgentServerEnv>
  /** The body: one message, or several. */
  sent: JsonValue
  /** Makes a protocol server for one request. */
  server: () => ReturnType<typeof createMcpServer>
}

/** Answers calls as streams, so that comment lines keep the connection alive, and everything else as JSON. */
function answerModern({ c, sent, server }: Exchange): Promise<Response> {
  const isCall = methodsOf(sent).includes('tools/call')
  const handler = createMcpHandler(server, {
    legacy: 'reject',
    responseMode: isCall ? 'sse' : 'auto',
  })
  return handler.fetch(c.req.raw, { parsedBody: sent })
}

function answerLegacy(parts: Pick<Parts, 'log'>, exchange: Exchange): Response {
  const { c, sent } = exchange
  const asked = c.req.header('mcp-protocol-version')
  if (asked !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(asked)) {
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
    const what = `The header MCP-Protocol-Version must be one of ${known}.`
    return c.json(rpcError(NOT_SUPPORTED, what), 400)
  }
  const messages = readMessages(sent)
  if (!messages) {
    const what = 'The body is no JSON-RPC message of the protocol.'
    return c.json(rpcError(ProtocolErrorCode.InvalidRequest, what), 400)
  }
  if (!messages.some((one) => 'method' in one && 'id' in one))
    return c.body(null, 202, { 'content-length': '0' })
  const isStream = messages.some(hasProgressToken)
  return isStream ? answerWithStream(parts, exchange) : answerWithJson(parts, exchange)
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

/** Passes the message to the library's transport. When the client leaves, closes its server, which ends its work. */
function handled(exchange: Exchange, enableJsonResponse: boolean, left: AbortSignal) {
  const { c, sent } = exchange
  const server = exchange.server()
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse,
    keepAliveMs: 0,
  })
  return new Promise<Response>((resolve, reject) => {
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

function parse(text: string): JsonValue | undefined {
  try {
    // The graph reads a tool's arguments; the library reads everything else.
    return parseJsonAt(text, ['params', 'arguments'])
  } catch {
    return undefined
  }
}

function methodsOf(sent: JsonValue): string[] {
  return [sent].flat().flatMap((one) => (isObject(one) ? String(one.method ?? '') : []))
}

/** Maximum number of messages in one body. */
const MAX_MESSAGES = 100

/** `undefined`: the body has invalid messages, or `initialize` with others. */
function readMessages(sent: JsonValue): JSONRPCMessage[] | undefined {
  const all = [sent].flat()
  if (all.length === 0 || all.length > MAX_MESSAGES) return undefined
  try {
    const messages = all.map(parseJSONRPCMessage)
    return all.length > 1 && messages.some(isInitializeRequest) ? undefined : messages
  } catch {
    return undefined
  }
}

function hasProgressToken(message: JSONRPCMessage): boolean {
  return 'method' in message && message.params?._meta?.progressToken !== undefined
}
