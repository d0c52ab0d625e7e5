/**
 * The Model Context Protocol: each assistant is a tool. Stateless: every request is complete, so each
 * gets its own protocol server for its duration.
 */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Caller } from '../../core/agent/authorization.ts'
import { AppError, ProjectRefusal } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { type CallParts, callTool } from './call.ts'
import { describeTool, listTools, TOOLS_PER_PAGE } from './tools.ts'

/** Shared: the library requires a validator, which takes long to make. Tools without output schema never use it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

const INSTRUCTIONS =
  'Each tool is an agent. A call runs it to its end and answers the state that it leaves.'

/** A protocol server for one request of this caller. Connect it to a transport, and close it. */
export function createMcpServer(parts: CallParts, caller: Caller, version: string): Server {
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
async function pageOfTools(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>,
  caller: Caller,
  cursor = '0',
): Promise<ListToolsResult> {
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
async function asProtocol<T>(parts: Pick<Parts, 'log'>, handle: () => Promise<T>): Promise<T> {
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
