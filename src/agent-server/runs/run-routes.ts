/** The operations on existing runs. */

import { z } from '@hono/zod-openapi'
import { isTerminal } from '../../core/agent/run.ts'
import { parseLastEventId } from '../../stream/response/sse.ts'
import type { Parts } from '../agent-server-parts.ts'
import { RunPathSchema, UuidSchema } from '../operations/ids.ts'
import { createRoutes, operationsOf } from '../operations/route.ts'
import { defaultStart, startAfter } from '../streams/run.ts'
import { cancelRun, deleteRun, REQUESTED, TAKEN } from './cancel.ts'
import { askingRun, refuseCircle } from './circle.ts'
import { runOnWire } from './run-on-wire.ts'
import {
  answerWithResult,
  answerWithStream,
  EVENTS_ANSWER,
  namespacesOf,
  RUN_ANSWER,
  VALUES_ANSWER,
} from './run-responses.ts'
import {
  CancelQuerySchema,
  JoinQuerySchema,
  StreamHeadersSchema,
  StreamQuerySchema,
} from './run-schemas.ts'
import { getRun, type RunId, requireLog } from './runs.ts'

const operation = operationsOf('Thread Runs')

const get = operation('get', '/threads/{thread_id}/runs/{run_id}', {
  name: 'get_run_http',
  summary: 'A run',
  request: { params: RunPathSchema },
  answers: { 200: RUN_ANSWER },
  refusals: [404],
})

const join = operation('get', '/threads/{thread_id}/runs/{run_id}/join', {
  name: 'join_run_http',
  summary: 'Wait for a run and answer its final values',
  request: { params: RunPathSchema, query: JoinQuerySchema },
  answers: { 200: VALUES_ANSWER },
  refusals: [404, 409],
})

const STREAM = { answers: { 200: EVENTS_ANSWER }, refusals: [400, 404] } as const

const stream = operation('get', '/threads/{thread_id}/runs/{run_id}/stream', {
  id: 'stream_run_http_threads__thread_id__runs__run_id__join_get',
  summary: 'Stream a run, from its beginning or from after `Last-Event-ID`, live or later',
  request: { params: RunPathSchema, query: StreamQuerySchema, headers: StreamHeadersSchema },
  ...STREAM,
})

const streamAlone = operationsOf('Stateless Runs')('get', '/runs/{run_id}/stream', {
  name: 'stream_run_stateless',
  summary: 'Stream a run that was created without a thread',
  request: {
    params: z.object({ run_id: UuidSchema }),
    query: StreamQuerySchema,
    headers: StreamHeadersSchema,
  },
  ...STREAM,
})

const cancel = operation('post', '/threads/{thread_id}/runs/{run_id}/cancel', {
  name: 'cancel_run_http',
  summary: 'End a run; a run that is over stays as it is',
  request: { params: RunPathSchema, query: CancelQuerySchema },
  answers: {
    202: { description: 'Asked for (without `wait`)' },
    204: { description: 'It has ended (with `wait`)' },
  },
  refusals: [404],
})

const remove = operation('delete', '/threads/{thread_id}/runs/{run_id}', {
  name: 'delete_run',
  summary: 'Remove a run and its events; one that is not over is interrupted first',
  request: { params: RunPathSchema },
  answers: { 204: { description: 'Removed' } },
  refusals: [404],
})

export function runRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(get, async (c) => {
    const run = await getRun(parts, c.get('caller'), c.req.valid('param'))
    return c.json(runOnWire(run), 200)
  })
  routes.openapi(join, async (c) => {
    const run = await requireLog(parts, c.get('caller'), c.req.valid('param'))
    const { status } = (await parts.store.runs.glance(run.run_id)) ?? {}
    const isOver = !status || isTerminal(status)
    if (!isOver) await refuseCircle(parts.store, run.thread_id, askingRun(c))
    const isCancelledOnLeave = c.req.valid('query').cancel_on_disconnect
    return answerWithResult(c, { parts, run, isCancelledOnLeave }) as never
  })
  const startOf = (
    run: RunId,
    last: number | undefined,
    { checkpoint_id }: z.infer<typeof StreamQuerySchema>,
  ) => {
    if (checkpoint_id !== undefined && (last ?? -1) === -1)
      return startAfter(parts, run, checkpoint_id)
    return last ?? defaultStart(parts, run.run_id)
  }
  for (const route of [stream, streamAlone]) {
    routes.openapi(route, async (c) => {
      const last = parseLastEventId(c.req.valid('header')['last-event-id'])
      const run = await requireLog(parts, c.get('caller'), c.req.valid('param'))
      const query = c.req.valid('query')
      const after = await startOf(run, last, query)
      const { cancel_on_disconnect: isCancelledOnLeave, stream_mode: modes } = query
      const wishes = { isCancelledOnLeave, ...(modes && { modes }), ...namespacesOf(c) }
      return answerWithStream(c, { parts, run, after, ...wishes })
    })
  }
  routes.openapi(cancel, async (c) => {
    const { action, wait, reason } = c.req.valid('query')
    const cancellation = { action, reason: reason === 'taken' ? TAKEN : REQUESTED }
    const options = wait ? { ...cancellation, wait: c.req.raw.signal } : cancellation
    await cancelRun(parts, c.get('caller'), c.req.valid('param'), options)
    return wait ? c.body(null, 204) : c.body(null, 202, { 'content-length': '0' })
  })
  routes.openapi(remove, async (c) => {
    await deleteRun(parts, c.get('caller'), c.req.valid('param'), c.req.raw.signal)
    return c.body(null, 204)
  })
  return routes
}
