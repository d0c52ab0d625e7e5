/** The operations on the timelines of runs. Only Runyard has them. */
import { createRoute } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { RunPathSchema } from '../operations/ids.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { readSpan, readTimeline } from './read.ts'
import { SpanPathSchema, TimelineSchema, TimelineSpanSchema } from './schemas.ts'

const get = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs/{run_id}/timeline',
  operationId: 'get_run_timeline',
  tags: ['Thread Runs'],
  summary: 'Where the time of a run went: attempts, nodes, models, tools, checkpoints',
  description:
    'Kept for a week after the run, and bounded: 1,000 spans an attempt. Of a run that goes on it is at ' +
    'most about a second old. What models and tools were given and have answered is told span by span.',
  request: { params: RunPathSchema },
  responses: {
    200: {
      description: 'Timeline, without the texts of its spans',
      content: { 'application/json': { schema: TimelineSchema } },
    },
    ...refusals(404, 422),
  },
})

const getSpan = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs/{run_id}/timeline/{span_id}',
  operationId: 'get_run_timeline_span',
  tags: ['Thread Runs'],
  summary: "A span of a run's timeline, with what it was given and has answered",
  description:
    "Callers whom the project's own auth has let in get it without these texts, unless they are Studio's.",
  request: { params: SpanPathSchema },
  responses: {
    200: {
      description: 'Span',
      content: { 'application/json': { schema: TimelineSpanSchema } },
    },
    ...refusals(404, 422),
  },
})

export function timelineRoutes(parts: Pick<Parts, 'store' | 'authorize'>) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openapi(get, async (c) => {
    return c.json(await readTimeline(parts, c.var.caller, c.req.valid('param')), 200)
  })
  routes.openapi(getSpan, async (c) => {
    const { span_id, ...which } = c.req.valid('param')
    return c.json(await readSpan(parts, c.var.caller, which, span_id), 200)
  })
  return routes
}
