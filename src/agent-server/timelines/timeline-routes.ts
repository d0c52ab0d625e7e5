/** The operations on the timelines of runs. Only Runyard has them. */

import { answerOf } from '../../http/answer.ts'
import { RunPathSchema } from '../operations/ids.ts'
import { createRoutes, json, operationsOf } from '../operations/route.ts'
import type { Parts } from '../parts.ts'
import {
  SpanPathSchema,
  TimelineAttemptSchema,
  TimelineCheckpointSchema,
  TimelineSchema,
  TimelineSpanSchema,
} from './timeline-schemas.ts'
import { readSpan, readTimeline } from './timelines.ts'

const operation = operationsOf('Thread Runs')

const get = operation('get', '/threads/{thread_id}/runs/{run_id}/timeline', {
  id: 'get_run_timeline',
  summary: 'Where the time of a run went: attempts, nodes, models, tools, checkpoints',
  description:
    'Kept for a week after the run, and bounded: 1,000 spans an attempt. Of a run that goes on it is at ' +
    'most about a second old. What models and tools were given and have answered is told span by span.',
  request: { params: RunPathSchema },
  answers: { 200: json(TimelineSchema, 'Timeline, without the texts of its spans') },
  refusals: [404],
})

const getSpan = operation('get', '/threads/{thread_id}/runs/{run_id}/timeline/{span_id}', {
  id: 'get_run_timeline_span',
  summary: "A span of a run's timeline, with what it was given and has answered",
  description:
    "Callers whom the project's own auth has let in get it without these texts, unless they are Studio's.",
  request: { params: SpanPathSchema },
  answers: { 200: json(TimelineSpanSchema, 'Span') },
  refusals: [404],
})

export function timelineRoutes(parts: Pick<Parts, 'store' | 'authorize'>) {
  const routes = createRoutes()
  routes.openapi(get, async (c) => {
    const timeline = await readTimeline(parts, c.var.caller, c.req.valid('param'))
    const { attempts, spans, checkpoints } = timeline
    const lists = {
      attempts: attempts.map((attempt) => answerOf(TimelineAttemptSchema, attempt)),
      spans: spans.map((span) => answerOf(TimelineSpanSchema, span)),
      checkpoints: checkpoints.map((one) => answerOf(TimelineCheckpointSchema, one)),
    }
    return c.json(answerOf(TimelineSchema, timeline, lists), 200)
  })
  routes.openapi(getSpan, async (c) => {
    const { span_id, ...which } = c.req.valid('param')
    const span = await readSpan(parts, c.var.caller, which, span_id)
    return c.json(answerOf(TimelineSpanSchema, span), 200)
  })
  return routes
}
