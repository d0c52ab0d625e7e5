/**
 * Answers messages of the Model Context Protocol through its own library, in both of its eras. Each assistant is a
 * tool. Stateless: every request is complete, so each gets its own protocol server for its duration.
 */
import {
  type CallToolResult,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Context } from 'hono'
import type { Caller } from '../../core/agent/authorization.ts'
import { AppError, ProjectRefusal } from '../../core/errors.ts'
import { parseJsonAt } from '../../core/exact-json.ts'
import { isObject, type JsonValue } from '../../core/json.ts'
import { LOOKING_MCP_METHODS, requireTalk } from '../../core/people/agent-access.ts'
import { JsonText, keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import { callTool } from './call.ts'
import { NOT_SUPPORTED, rpcError } from './rpc-error.ts'
import { describeTool, listTools, TOOLS_PER_PAGE } from './tools.ts'

/**
 * Answers the body of a POST. A message is modern if it names its protocol version in `_meta`, or in a header of
 * 2026-07-28 or later. All others are legacy: one message, or several.
 */
export async function answerMessage(
  c: Context<AgentServerEnv>,
  parts: Parts,
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

function answerLegacy(parts: Parts, exchange: Exchange): Response {
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

function answerWithJson(parts: Parts, exchange: Exchange): Response {
  return keepAliveJson(exchange.c, {
    result: async (left) => new JsonText(await (await handled(exchange, true, left)).text()),
    log: parts.log,
  })
}

function answerWithStream(parts: Parts, exchange: Exchange): Response {
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

/** Shared: the library requires a validator, which takes long to make. Tools without output schema never use it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

const INSTRUCTIONS =
  'Each tool is an agent. A call runs it to its end and answers the state that it leaves.'

/** A protocol server for one request of this caller. Connect it to a transport, and close it. */
function createMcpServer(parts: Parts, caller: Caller, version: string): Server {
  const server = new Server(
    { name: 'runyard', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  )
  server.setRequestHandler('tools/list', ({ params }) =>
    asProtocol(parts, () => pageOfTools(parts, caller, params?.cursor)),
  )
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken
    let progress = 0
    const onStep = (message: string) => {
      if (progressToken === undefined) return
      progress += 1
      const method = 'notifications/progress'
      const sent = mcpReq.notify({ method, params: { progressToken, progress, message } })
      sent.catch((err) => parts.log.debug({ err }, 'a client left before it heard of a step'))
    }
    const call = { name: params.name, arguments: params.arguments, signal: mcpReq.signal, onStep }
    return asProtocol(parts, () => asResult(() => callTool(parts, caller, call)))
  })
  return server
}

/** The cursor is the number of tools on the previous pages. */
async function pageOfTools(parts: Parts, caller: Caller, cursor = '0'): Promise<ListToolsResult> {
  const tools = await listTools(parts, caller)
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : -1
  if (from < 0) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor is none that a list has answered.',
    )
  }
  const to = from + TOOLS_PER_PAGE
  const page: ListToolsResult['tools'] = []
  for (const tool of tools.slice(from, to)) page.push(await describeTool(parts, caller, tool))
  return { tools: page, ...(to < tools.length && { nextCursor: String(to) }) }
}

/** Returns a refused run as the tool's result: a model can read it and try something else. */
async function asResult(call: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await call()
  } catch (err) {
    if (!isRefusal(err)) throw err
    return { content: [{ type: 'text', text: err.message }], isError: true }
  }
}

/** Clients see only the text of refusals. Other errors go to the log. */
async function asProtocol<T>(parts: Parts, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (err) {
    if (err instanceof ProtocolError) throw err
    if (isRefusal(err)) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, err.message)
    parts.log.error({ err }, 'a request of the Model Context Protocol failed')
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'Internal server error; the log says more.',
    )
  }
}

function isRefusal(err: unknown): err is AppError | ProjectRefusal {
  return err instanceof ProjectRefusal || (err instanceof AppError && err.code !== 'internal')
}
