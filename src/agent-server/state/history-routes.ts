/** The operations on a thread's history. */
import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ThreadState } from '../../core/agent/thread.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { type HistoryPage, listThreadHistory, takePage } from './history.ts'
import { HistoryQuerySchema, HistorySearchSchema, ThreadStateSchema } from './schemas.ts'
import { selectFields } from './select.ts'

const tags = ['Threads']

const HistoryHeadersSchema = z.object({
  'X-Pagination-Next': z.string().optional().openapi({
    description:
      'The `before` of the next page, where this one was full before it had `limit` states',
  }),
})

const states = <T extends z.ZodType>(schema: T) => ({
  description:
    'States, newest first: as many as `limit` says, or as together have RUNYARD_MAX_PAGE_BYTES',
  headers: HistoryHeadersSchema,
  content: { 'application/json': { schema: z.array(schema) } },
})

const list = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/history',
  operationId: 'get_thread_history_threads__thread_id__history_get',
  tags,
  summary: "A thread's past states",
  request: { params: ThreadPathSchema, query: HistoryQuerySchema },
  responses: { 200: states(ThreadStateSchema), ...refusals(400, 404, 422) },
})

const search = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/history',
  operationId: 'get_thread_history_post_threads__thread_id__history_post',
  tags,
  summary: "A thread's or a subgraph's past states, by metadata if it is given",
  request: {
    params: ThreadPathSchema,
    body: body(HistorySearchSchema),
  },
  responses: {
    200: states(selectable(ThreadStateSchema, 'SelectedThreadState')),
    ...refusals(400, 404, 422),
  },
})

export function historyRoutes(parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'limits'>) {
  const routes = createRoutes<AgentServerEnv>()
  const sizeOf = (c: Context<AgentServerEnv>) => ({
    maxBytes: parts.limits.pageBytes,
    hold: c.var.hold,
  })
  routes.openapi(list, async (c) => {
    const { thread_id } = c.req.valid('param')
    const query = { ...given(c.req.valid('query')), checkpoint: {} }
    const found = await listThreadHistory(parts, c.var.caller, thread_id, query)
    const page = await takePage(found, sizeOf(c), (state) => state)
    return answerPage(page) as never
  })
  routes.openapi(search, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, ...query } = { limit: 1, checkpoint: {}, ...given(c.req.valid('json')) }
    const found = await listThreadHistory(parts, c.var.caller, thread_id, query)
    const show = (state: ThreadState) => selectFields(state, select)
    return answerPage(await takePage(found, sizeOf(c), show)) as never
  })
  return routes
}

/** State by state: one text of all of them would be as large again. */
function answerPage({ texts, next }: HistoryPage): Response {
  const pieces = texts.flatMap((text, place) => [Buffer.from(place === 0 ? '[' : ','), text])
  pieces.push(Buffer.from(texts.length === 0 ? '[]' : ']'))
  const headers = {
    'content-type': 'application/json',
    ...(next !== undefined && { 'x-pagination-next': next }),
  }
  return new Response(ReadableStream.from(pieces), { headers })
}
