/** The operations that create and list runs on a thread. */
import { createRoute, z } from '@hono/zod-openapi'
import type { Run } from '../../core/agent/run.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { creationHandlers } from './creation.ts'
import { listRuns } from './read.ts'
import { EVENTS_ANSWER, RUN_ANSWER, VALUES_ANSWER } from './responses.ts'
import {
  NewStreamQuerySchema,
  RunCreateHeadersSchema,
  RunCreateStatefulSchema,
  RunListQuerySchema,
  RunSchema,
} from './schemas.ts'
import { runOnWire } from './wire.ts'

const request = {
  params: ThreadPathSchema,
  headers: RunCreateHeadersSchema,
  body: body(RunCreateStatefulSchema),
}

const create = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/runs',
  operationId: 'create_run_threads__thread_id__runs_post',
  tags: ['Thread Runs'],
  summary: 'Add a run to a thread, and do not wait for it',
  request,
  responses: {
    200: RUN_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const wait = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/runs/wait',
  operationId: 'wait_run_threads__thread_id__runs_wait_post',
  tags: ['Thread Runs'],
  summary: 'Add a run to a thread and answer its final values',
  request,
  responses: {
    200: VALUES_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const stream = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/runs/stream',
  operationId: 'stream_run_threads__thread_id__runs_stream_post',
  tags: ['Thread Runs'],
  summary: 'Add a run to a thread and stream it',
  request: { ...request, query: NewStreamQuerySchema },
  responses: {
    200: EVENTS_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const list = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs',
  operationId: 'list_runs_http_threads__thread_id__runs_get',
  tags: ['Thread Runs'],
  summary: "A page of a thread's runs, the latest first",
  request: { params: ThreadPathSchema, query: RunListQuerySchema },
  responses: {
    200: {
      description: 'With `select` each has the selected fields only',
      content: { 'application/json': { schema: z.array(selectable(RunSchema, 'SelectedRun')) } },
    },
    ...refusals(404, 422),
  },
})

export function threadRunRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
  const handlers = creationHandlers(parts)
  routes.openapi(create, (c) => handlers.create(c, c.req.valid('param').thread_id))
  routes.openapi(wait, (c) => handlers.wait(c, c.req.valid('param').thread_id))
  routes.openapi(stream, (c) => handlers.stream(c, c.req.valid('param').thread_id))
  routes.openapi(list, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, ...page } = c.req.valid('query')
    const runs = await listRuns(parts, c.var.caller, thread_id, given(page))
    return c.json(
      runs.map((run) => selectFields(runOnWire(run), select)),
      200,
    )
  })
  return routes
}

/** Without a selection, returns all fields. */
function selectFields(run: Run, select: (keyof Run)[] | undefined): Run {
  if (!select) return run
  return Object.fromEntries(select.map((field) => [field, run[field]])) as unknown as Run
}
