/** The operations on a thread's history. */
import { createRoute, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../caller.ts'
import { listThreadHistory } from '../history.ts'
import type { Parts } from '../parts.ts'
import { ThreadPathSchema } from '../schemas/ids.ts'
import { selectable } from '../schemas/json.ts'
import { HistoryQuerySchema, HistorySearchSchema, ThreadStateSchema } from '../schemas/state.ts'
import { selectFields } from '../state-select.ts'
import { body } from './body.ts'
import { given } from './given.ts'
import { refusals } from './refusals.ts'

const tags = ['Threads']

const states = <T extends z.ZodType>(schema: T) => ({
  description: 'States, newest first',
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

export function historyRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openapi(list, async (c) => {
    const { thread_id } = c.req.valid('param')
    const query = { ...given(c.req.valid('query')), checkpoint: {} }
    return c.json(await listThreadHistory(parts, c.var.caller, thread_id, query), 200)
  })
  routes.openapi(search, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, ...query } = { limit: 1, checkpoint: {}, ...given(c.req.valid('json')) }
    const found = await listThreadHistory(parts, c.var.caller, thread_id, query)
    const answer = found.map((state) => selectFields(state, select))
    return c.json(answer, 200)
  })
  return routes
}
