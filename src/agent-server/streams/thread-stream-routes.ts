/** The operation that streams a thread over all its runs. */

import { z } from '@hono/zod-openapi'
import { THREAD_STREAM_MODES } from '../../core/agent/stream-mode.ts'
import { parseLastEventId } from '../../stream/response/sse.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { Parts } from '../agent-server-parts.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { queryList } from '../operations/query.ts'
import { createRoutes, operationsOf } from '../operations/route.ts'
import { EVENTS_ANSWER } from '../runs/run-responses.ts'
import { StreamHeadersSchema } from '../runs/run-schemas.ts'
import { getThread } from '../threads/threads.ts'
import { threadFrames } from './thread.ts'

const ModesSchema = queryList(z.enum(THREAD_STREAM_MODES)).optional()

const operation = operationsOf('Threads')

const stream = operation('get', '/threads/{thread_id}/stream', {
  name: 'join_thread_stream',
  summary: 'Stream a thread over all its runs, from now on or from after `Last-Event-ID`',
  request: {
    params: ThreadPathSchema,
    // The original's document has `stream_modes`, its clients send `stream_mode`.
    query: z.object({ stream_modes: ModesSchema, stream_mode: ModesSchema }),
    headers: StreamHeadersSchema,
  },
  answers: { 200: EVENTS_ANSWER },
  refusals: [400, 404],
})

export function threadStreamRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(stream, async (c) => {
    const { thread_id } = c.req.valid('param')
    const query = c.req.valid('query')
    const modes = query.stream_modes ?? query.stream_mode ?? ['run_modes']
    const last = parseLastEventId(c.req.valid('header')['last-event-id'])
    const after = last === undefined ? undefined : Math.max(last, 0)
    await getThread(parts, c.get('caller'), thread_id)
    return sseResponse(c, {
      headers: { location: `/threads/${thread_id}/stream` },
      source: (signal) => threadFrames(parts, { thread_id, modes, after }, signal),
      onOpen: () => parts.metrics.streamOpened(),
      log: parts.log,
    })
  })
  return routes
}
