/** `/mcp`: the Model Context Protocol over streamable HTTP, 2026-07-28 and the versions before it, without sessions. */

import { z } from '@hono/zod-openapi'
import type { Parts } from '../agent-server-parts.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import { createRoutes, rpcOperationsOf } from '../operations/route.ts'
import { NOT_SUPPORTED, rpcError } from './rpc-error.ts'

const operation = rpcOperationsOf('MCP')
const path = '/mcp/'
const body = { 'application/json': { schema: JsonObjectSchema } }

const MessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0').optional(),
    id: z.union([z.string(), z.int()]).optional(),
    method: z
      .enum([
        'initialize',
        'notifications/initialized',
        'ping',
        'server/discover',
        'subscriptions/listen',
        'tools/list',
        'tools/call',
      ])
      .optional(),
    params: JsonObjectSchema.optional(),
  })
  .openapi('McpMessage')

const post = operation('post', path, {
  id: 'post_mcp',
  summary: 'A message of the Model Context Protocol: server/discover, tools/list, tools/call',
  description:
    'Streamable HTTP without sessions, also at `/mcp`. Each assistant is a tool. Serves 2026-07-28 and the versions ' +
    'with a handshake before it: there `initialize` and `ping` too. The answer is JSON; a call with a progress ' +
    'token is answered as a stream that reports each step, and in 2026-07-28 every call is. A client that leaves ' +
    'cancels its run.',
  request: {
    headers: z.object({
      accept: z.literal('application/json, text/event-stream'),
    }),
    body: { content: { 'application/json': { schema: MessageSchema } }, required: true },
  },
  answers: {
    200: {
      description: 'The answer',
      content: { ...body, 'text/event-stream': { schema: z.string() } },
    },
    202: { description: 'Notifications and answers are taken without an answer' },
    400: { description: 'A JSON-RPC error: no message of the protocol', content: body },
    404: { description: 'A JSON-RPC error of 2026-07-28: there is no such method', content: body },
    406: { description: 'A JSON-RPC error of 2026-07-28: `Accept` lacks a type', content: body },
  },
})

const get = operation('get', path, {
  id: 'get_mcp',
  summary: 'Refused: the server sends nothing by itself',
  answers: { 405: { description: 'Always', content: body } },
})

const remove = operation('delete', path, {
  id: 'delete_mcp',
  summary: 'Refused: there are no sessions that could be ended',
  answers: { 405: { description: 'Always', content: body } },
})

export function mcpRoutes(parts: Parts, version: string) {
  const routes = createRoutes()
  for (const route of [post, get, remove]) routes.openAPIRegistry.registerPath(route)
  for (const at of ['/mcp', path]) {
    routes.post(at, async (c) => {
      // The protocol's library takes long to load, and many servers never use it.
      const { answerMessage } = await import('./mcp-answers.ts')
      return answerMessage(c, parts, version)
    })
    for (const method of ['get', 'delete'] as const)
      routes[method](at, (c) => c.json(ONLY_POST, 405, { allow: 'POST' }))
  }
  return routes
}

const ONLY_POST = rpcError(NOT_SUPPORTED, 'Only POST is supported.')
