/** The operations that create and list runs, on a thread or stateless: each stateless run gets its own thread. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { QueuedRun } from '../../core/agent/run.ts'
import { selectionOf } from '../../http/answer.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { cancelManyRuns, REQUESTED } from './cancel.ts'
import { askingRun } from './circle.ts'
import { createRun, createRuns } from './run-creation.ts'
import { runOnWire } from './run-on-wire.ts'
import { runRequest } from './run-request.ts'
import {
  answerWithResult,
  answerWithStream,
  EVENTS_ANSWER,
  namespacesOf,
  RUN_ANSWER,
  runLocation,
  VALUES_ANSWER,
} from './run-responses.ts'
import {
  CancelManyQuerySchema,
  NewStreamQuerySchema,
  RunBatchCreateSchema,
  type RunCreate,
  RunCreateHeadersSchema,
  RunCreateStatefulSchema,
  RunCreateStatelessSchema,
  RunListQuerySchema,
  RunSchema,
  RunsCancelSchema,
} from './run-schemas.ts'
import { listRuns } from './runs.ts'

const onThread = operationsOf('Thread Runs')
const stateless = operationsOf('Stateless Runs')
const headers = RunCreateHeadersSchema
const refusals = [404, 409, 429] as const

const list = onThread('get', '/threads/{thread_id}/runs', {
  name: 'list_runs_http',
  summary: "A page of a thread's runs, the latest first",
  request: { params: ThreadPathSchema, query: RunListQuerySchema },
  answers: {
    200: json(
      z.array(selectable(RunSchema, 'SelectedRun')),
      'With `select` each has the selected fields only',
    ),
  },
  refusals: [404],
})

const batch = stateless('post', '/runs/batch', {
  id: 'run_batch_stateless_runs_post',
  summary: 'Add runs, each on a thread of its own: all of them, or none where one is refused',
  request: { headers, body: body(RunBatchCreateSchema) },
  answers: { 200: json(z.array(RunSchema), 'Runs') },
  refusals,
})

const cancelMany = onThread('post', '/runs/cancel', {
  id: 'cancel_runs_post',
  summary: 'End runs: some of a thread, or all that wait or run; runs that are over stay',
  request: { query: CancelManyQuerySchema, body: body(RunsCancelSchema) },
  answers: { 204: { description: 'Asked for' } },
  refusals: [404, 429],
})

export function threadRunRoutes(parts: Parts) {
  const routes = creationRoutes(parts, onThread, '/threads/{thread_id}/runs', {
    names: { create: 'create_run', wait: 'wait_run', stream: 'stream_run' },
    what: 'Add a run to a thread',
    request: { params: ThreadPathSchema, headers, body: body(RunCreateStatefulSchema) },
  })
  routes.openapi(list, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, ...page } = c.req.valid('query')
    const runs = await listRuns(parts, c.var.caller, thread_id, given(page))
    return c.json(
      runs.map((run) => selectionOf(RunSchema, runOnWire(run), select)),
      200,
    )
  })
  return routes
}

export function statelessRunRoutes(parts: Parts) {
  const routes = creationRoutes(parts, stateless, '/runs', {
    names: { create: 'run_stateless', wait: 'wait_run_stateless', stream: 'stream_run_stateless' },
    what: 'Add a run on a thread of its own',
    request: { headers, body: body(RunCreateStatelessSchema) },
  })
  routes.openapi(batch, async (c) => {
    const requests = c.req.valid('json').map(runRequest)
    const key = c.req.valid('header')['idempotency-key']
    const runs = await createRuns(parts, c.var.caller, requests, key)
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

/** A validated request that creates a run. */
type Creation = Context<
  AgentServerEnv,
  string,
  { out: { header: { 'idempotency-key'?: string | undefined }; json: RunCreate } }
>

interface CreationRequest {
  params?: typeof ThreadPathSchema
  headers: typeof RunCreateHeadersSchema
  body: { required: boolean; content: { 'application/json': { schema: z.ZodType<RunCreate> } } }
}

interface Creations {
  names: Record<'create' | 'wait' | 'stream', string>
  /** The beginning of each summary. */
  what: string
  request: CreationRequest
}

/** The three operations that create a run at this path. They throw like `createRun`. */
function creationRoutes(
  parts: Parts,
  operation: typeof stateless,
  path: string,
  { names, what, request }: Creations,
) {
  const routes = createRoutes()
  const create = operation('post', path, {
    name: names.create,
    summary: `${what}, and do not wait for it`,
    request,
    answers: { 200: RUN_ANSWER },
    refusals,
  })
  const wait = operation('post', `${path}/wait`, {
    name: names.wait,
    summary: `${what} and answer its final values`,
    request,
    answers: { 200: VALUES_ANSWER },
    refusals,
  })
  const stream = operation('post', `${path}/stream`, {
    name: names.stream,
    summary: `${what} and stream it`,
    request: { ...request, query: NewStreamQuerySchema },
    answers: { 200: EVENTS_ANSWER },
    refusals,
  })
  routes.openapi(create, async (c) => {
    const run = await addRun(parts, c, { isWaiting: false })
    return c.json(runOnWire(run), 200, runLocation(run))
  })
  routes.openapi(wait, async (c) => {
    const run = await addRun(parts, c, { isWaiting: true })
    return answerWithResult(c, { parts, run, ...onDisconnect(c) }) as never
  })
  routes.openapi(stream, async (c) => {
    const run = await addRun(parts, c, { isWaiting: true })
    const how = { isNew: true, after: -1, ...onDisconnect(c), ...namespacesOf(c) }
    return answerWithStream(c, { parts, run, ...how })
  })
  return routes
}

function addRun(
  parts: Parts,
  c: Creation,
  { isWaiting }: { isWaiting: boolean },
): Promise<QueuedRun> {
  const idempotencyKey = c.req.valid('header')['idempotency-key']
  const request = runRequest(c.req.valid('json'))
  const waiting_run_id = isWaiting ? askingRun(c, request.config.configurable) : undefined
  const options = { idempotencyKey, waiting_run_id }
  // Only the path of a thread has parameters, which the type of both cannot say.
  const path = c.req.valid('param' as never) as { thread_id: string } | undefined
  const thread_id = path?.thread_id ?? null
  return createRun(parts, c.var.caller, thread_id, request, options)
}

function onDisconnect(c: Creation) {
  return { isCancelledOnLeave: c.req.valid('json').on_disconnect === 'cancel' }
}
