/** The operations of the thread-centred protocol over HTTP. */

import { invalidField } from '../../core/errors.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema, UuidSchema } from '../operations/ids.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { EVENTS_ANSWER } from '../runs/run-responses.ts'
import { handleCommand, parseCommand } from './command.ts'
import { CommandAnswerSchema, CommandEnvelopeSchema, SubscribeSchema } from './protocol-schemas.ts'
import { serveSocket } from './socket-session.ts'
import { admit, protocolFrames, requireKept } from './thread-events.ts'

const operation = operationsOf('Thread Protocol')

const command = operation('post', '/threads/{thread_id}/commands', {
  name: 'send_protocol_command',
  summary: 'Start, answer, steer and read a thread; a refusal is answered with 200 too',
  request: {
    params: ThreadPathSchema,
    body: { ...body(CommandEnvelopeSchema), required: true },
  },
  answers: { 200: json(CommandAnswerSchema, 'The result, or why it was refused') },
  refusals: [400],
})

const events = operation('post', '/threads/{thread_id}/stream/events', {
  name: 'stream_protocol_events',
  summary: 'Follow a thread, which need not exist yet, over all its runs',
  request: {
    params: ThreadPathSchema,
    body: body(SubscribeSchema),
  },
  answers: { 200: EVENTS_ANSWER },
  refusals: [404, 410],
})

function requireUuid(text: string): string {
  const id = UuidSchema.safeParse(text)
  if (id.success) return id.data
  throw invalidField(['path', 'thread_id'], 'Expected a UUID.', 'uuid_parsing')
}

export function protocolRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(command, async (c) => {
    const { thread_id } = c.req.valid('param')
    const sent = parseCommand(c.req.valid('json'))
    return c.json(await handleCommand({ parts, caller: c.var.caller, thread_id }, sent), 200)
  })
  routes.openapi(events, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { since = 0, ...asked } = c.req.valid('json')
    const admission = await admit(parts, c.var.caller, thread_id)
    await requireKept(parts, thread_id, since)
    const filter = given(asked)
    return sseResponse(c, {
      headers: {},
      source: (signal) => protocolFrames(parts, admission, { filter, since }, signal),
      onOpen: () => parts.metrics.streamOpened(),
      log: parts.log,
    })
  })
  // Not in the document: OpenAPI knows no WebSockets.
  routes.get('/threads/:thread_id/stream/events', async (c) => {
    const accept = c.env.acceptSocket
    if (!accept) return c.json({ detail: 'Ask for a WebSocket here, or POST for events.' }, 426)
    const thread_id = requireUuid(c.req.param('thread_id'))
    const caller = c.get('caller')
    const admission = await admit(parts, caller, thread_id)
    accept((socket) => serveSocket(parts, caller, admission, socket))
    return c.body(null, 204)
  })
  return routes
}
