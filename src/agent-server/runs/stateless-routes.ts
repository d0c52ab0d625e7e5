/** The operations that create stateless runs: each run gets its own thread. */
import { createRoute, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { REQUESTED } from './cancel.ts'
import { cancelManyRuns } from './cancel-many.ts'
import { createRuns } from './create.ts'
import { creationHandlers } from './creation.ts'
import { runRequest } from './request.ts'
import { EVENTS_ANSWER, RUN_ANSWER, VALUES_ANSWER } from './responses.ts'
import {
  CancelManyQuerySchema,
  NewStreamQuerySchema,
  RunBatchCreateSchema,
  RunCreateHeadersSchema,
  RunCreateStatelessSchema,
  RunSchema,
  RunsCancelSchema,
} from './schemas.ts'
import { runOnWire } from './wire.ts'

const request = {
  headers: RunCreateHeadersSchema,
  body: body(RunCreateStatelessSchema),
}

const create = createRoute({
  method: 'post',
  path: '/runs',
  operationId: 'run_stateless_runs_post',
  tags: ['Stateless Runs'],
  summary: 'Add a run on a thread of its own, and do not wait for it',
  request,
  responses: {
    200: RUN_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const wait = createRoute({
  method: 'post',
  path: '/runs/wait',
  operationId: 'wait_run_stateless_runs_wait_post',
  tags: ['Stateless Runs'],
  summary: 'Add a run on a thread of its own and answer its final values',
  request,
  responses: {
    200: VALUES_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const stream = createRoute({
  method: 'post',
  path: '/runs/stream',
  operationId: 'stream_run_stateless_runs_stream_post',
  tags: ['Stateless Runs'],
  summary: 'Add a run on a thread of its own and stream it',
  request: { ...request, query: NewStreamQuerySchema },
  responses: {
    200: EVENTS_ANSWER,
    ...refusals(404, 409, 422, 429),
  },
})

const batch = createRoute({
  method: 'post',
  path: '/runs/batch',
  operationId: 'run_batch_stateless_runs_post',
  tags: ['Stateless Runs'],
  summary: 'Add runs, each on a thread of its own: all of them, or none where one is refused',
  request: {
    headers: RunCreateHeadersSchema,
    body: body(RunBatchCreateSchema),
  },
  responses: {
    200: { description: 'Runs', content: { 'application/json': { schema: z.array(RunSchema) } } },
    ...refusals(404, 409, 422, 429),
  },
})

const cancelMany = createRoute({
  method: 'post',
  path: '/runs/cancel',
  operationId: 'cancel_runs_post',
  tags: ['Thread Runs'],
  summary: 'End runs: some of a thread, or all that wait or run; runs that are over stay',
  request: {
    query: CancelManyQuerySchema,
    body: body(RunsCancelSchema),
  },
  responses: { 204: { description: 'Asked for' }, ...refusals(404, 422, 429) },
})

export function statelessRunRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
  const handlers = creationHandlers(parts)
  routes.openapi(create, (c) => handlers.create(c, null))
  routes.openapi(wait, (c) => handlers.wait(c, null))
  routes.openapi(stream, (c) => handlers.stream(c, null))
  routes.openapi(batch, async (c) => {
    const asked = c.req.valid('json').map(runRequest)
    const key = c.req.valid('header')['idempotency-key']
    const runs = await createRuns(parts, c.var.caller, asked, key)
    return c.json(runs.map(runOnWire), 200)
  })
  routes.openapi(cancelMany, async (c) => {
    const { action } = c.req.valid('query')
    const cancellation = { action, reason: REQUESTED }
    await cancelManyRuns(parts, c.var.caller, c.req.valid('json'), cancellation)
    return c.body(null, 204)
  })
  return routes
}
