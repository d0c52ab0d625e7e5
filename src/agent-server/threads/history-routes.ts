/** The operations on a thread's history. */

import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { type HistoryPage, type HistoryQuery, listThreadHistory, takePage } from './history.ts'
import { HistoryQuerySchema, HistorySearchSchema, ThreadStateSchema } from './state-schemas.ts'
import { type StateSelection, selectFields } from './state-select.ts'

const operation = operationsOf('Threads')

const HistoryHeadersSchema = z.object({
  'X-Pagination-Next': z.string().optional().openapi({
    description:
      'The `before` of the next page, where this one was full before it had `limit` states',
  }),
})

const STATES = {
  answers: {
    200: {
      ...json(
        z.array(selectable(ThreadStateSchema, 'SelectedThreadState')),
        'States, newest first: as many as `limit` says, or as together have RUNYARD_MAX_PAGE_BYTES',
      ),
      headers: HistoryHeadersSchema,
    },
  },
  refusals: [400, 404],
} as const

const list = operation('get', '/threads/{thread_id}/history', {
  name: 'get_thread_history',
  summary: "A thread's past states",
  request: { params: ThreadPathSchema, query: HistoryQuerySchema },
  ...STATES,
})

const search = operation('post', '/threads/{thread_id}/history', {
  name: 'get_thread_history_post',
  summary: "A thread's or a subgraph's past states, by metadata if it is given",
  request: { params: ThreadPathSchema, body: body(HistorySearchSchema) },
  ...STATES,
})

export function historyRoutes(parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'limits'>) {
  const routes = createRoutes()
  const answer = async (
    c: Context<AgentServerEnv>,
    thread_id: string,
    { select, ...query }: HistoryQuery & { select?: StateSelection[] },
  ) => {
    const found = await listThreadHistory(parts, c.var.caller, thread_id, query)
    const size = { maxBytes: parts.limits.pageBytes, hold: c.var.hold }
    return answerPage(await takePage(found, size, (state) => selectFields(state, select))) as never
  }
  routes.openapi(list, (c) => {
    const query = { ...given(c.req.valid('query')), checkpoint: {} }
    return answer(c, c.req.valid('param').thread_id, query)
  })
  routes.openapi(search, (c) => {
    const query = { limit: 1, checkpoint: {}, ...given(c.req.valid('json')) }
    return answer(c, c.req.valid('param').thread_id, query)
  })
  return routes
}

/** Sends state by state: joining all texts would need the same memory again. */
function answerPage({ texts, next }: HistoryPage): Response {
  const pieces = texts.flatMap((text, place) => [Buffer.from(place === 0 ? '[' : ','), text])
  pieces.push(Buffer.from(texts.length === 0 ? '[]' : ']'))
  const headers = {
    'content-type': 'application/json',
    ...(next !== undefined && { 'x-pagination-next': next }),
  }
  return new Response(ReadableStream.from(pieces), { headers })
}
