/** Timelines of runs: on the wire, the operations and their verbs. Only Runyard has them. */

import { z } from '@hono/zod-openapi'
import { type Caller, isDeveloper } from '../../core/agent/authorization.ts'
import { isTerminal, RUN_STATUSES } from '../../core/agent/run.ts'
import {
  ATTEMPT_OUTCOMES,
  foldTimeline,
  type PlacedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
} from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'
import { answerOf } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { RunPathSchema } from '../operations/ids.ts'
import { createRoutes, json, operationsOf } from '../operations/route.ts'
import { getRun, type RunId } from '../runs/runs.ts'

const moment = (description?: string) =>
  z.int().openapi({ description: ['In ms since 1970.', description].filter(Boolean).join(' ') })

const id = () => z.string().openapi({ format: 'uuid' })

/** Why a run failed. */
const RunErrorSchema = z.object({ error: z.string(), message: z.string() }).openapi('RunError')

const TimelineAttemptSchema = z
  .object({
    token: z.int().openapi({ description: 'Counts the claims of the run, from 1.' }),
    attempt: z.int().openapi({
      description: 'The number of the attempt. A claim that was handed over does not count as one.',
    }),
    server_id: z.string().nullable(),
    pid: z.int().nullable(),
    revision_id: z
      .string()
      .nullable()
      .openapi({ description: "The deployment's revision; null: unknown, or of no deployment." }),
    started_at: moment().nullable(),
    ended_at: moment('null: it goes on, or the time is unknown.').nullable(),
    outcome: z.enum(ATTEMPT_OUTCOMES).openapi({
      description:
        'handed_over: its server was told to stop, and another goes on. lost: its server or the ' +
        'process of its graph has died.',
    }),
    left_out: z.int().openapi({ description: 'How many spans were too many to be kept.' }),
  })
  .openapi('TimelineAttempt')

const TimelineSpanSchema = z
  .object({
    span_id: z.string(),
    token: z.int().openapi({ description: 'The claim that it belongs to.' }),
    kind: z.enum(SPAN_KINDS),
    name: z.string().openapi({ description: "Of the node, the model's class or the tool." }),
    namespace: z.array(z.string()).openapi({
      description: 'Its node: `node:task` for each graph from the outermost inwards.',
    }),
    step: z.int().nullable().openapi({ description: "LangGraph's number, in the node's graph." }),
    started_at: moment(),
    ended_at: moment('null: it is at work, or was left.').nullable(),
    status: z.enum([...SPAN_STATUSES, 'left']).openapi({
      description:
        'interrupted: it asks a question, or was cancelled. left: its attempt ended before it.',
    }),
    error: z
      .object({ error: z.string(), message: z.string(), stack: z.string().optional() })
      .optional(),
    model: z.string().optional().openapi({ description: 'The model that was asked for.' }),
    first_token_at: moment().optional(),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    tool_call_id: z.string().optional(),
    input: z
      .string()
      .optional()
      .openapi({
        description:
          'Of models and tools: JSON, cut off after 8,192 characters. Of messages the last ones; ' +
          '`{"type": "omitted", "count"}` stands for those before them.',
      }),
    output: z.string().optional().openapi({ description: 'The same of the answer.' }),
    interrupts: z.string().optional().openapi({ description: 'The same of what it asks.' }),
  })
  .openapi('TimelineSpan')

const TimelineCheckpointSchema = z
  .object({
    checkpoint_id: z.string(),
    checkpoint_ns: z.string(),
    parent_checkpoint_id: z.string().nullable(),
    step: z.int().nullable(),
    source: z.string().nullable(),
    created_at: moment().nullable(),
  })
  .openapi('TimelineCheckpoint')

const TimelineSchema = z
  .object({
    run_id: id(),
    thread_id: id(),
    assistant_id: id(),
    status: z.enum(RUN_STATUSES),
    attempt: z.int(),
    error: RunErrorSchema.nullable(),
    created_at: moment(),
    due_at: moment('When it could begin.'),
    started_at: moment('When it was claimed first.').nullable(),
    ended_at: moment().nullable(),
    attempts: z.array(TimelineAttemptSchema),
    spans: z
      .array(TimelineSpanSchema)
      .openapi({ description: 'In the order of their beginnings.' }),
    checkpoints: z.array(TimelineCheckpointSchema),
  })
  .openapi('Timeline')

const SpanPathSchema = RunPathSchema.extend({ span_id: z.string().min(1).max(1024) })

const operation = operationsOf('Thread Runs')

const get = operation('get', '/threads/{thread_id}/runs/{run_id}/timeline', {
  id: 'get_run_timeline',
  summary: 'Where the time of a run went: attempts, nodes, models, tools, checkpoints',
  description:
    'Kept for a week after the run, with at most 1,000 spans an attempt. While a run goes on, its timeline is about a ' +
    'second old. The input and output of models and tools are read span by span.',
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

/** How many checkpoints of a run a timeline has: the first, in order of creation. */
const MAX_CHECKPOINTS = 2_000

/** Without the texts of its spans. Throws `not_found`. */
async function readTimeline(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: RunId,
) {
  const run = await getRun(parts, caller, which)
  const { store } = parts
  const [entries, checkpoints] = await Promise.all([
    store.timelines.read(run.run_id),
    store.checkpoints.listOf(run, MAX_CHECKPOINTS),
  ])
  const { attempts, spans } = foldTimeline(entries, run.status === 'running')
  const { run_id, thread_id, assistant_id, status, attempt, error, started_at } = run
  return {
    ...{ run_id, thread_id, assistant_id, status, attempt, error, started_at },
    created_at: Date.parse(run.created_at),
    due_at: run.available_at,
    ended_at: isTerminal(status) ? Date.parse(run.updated_at) : null,
    attempts,
    spans: spans.map(withoutTexts),
    checkpoints,
  }
}

/**
 * A span with its texts: the input and output of a model or tool, and the stack of an error. They reveal prompts and
 * files that only the project's developers may see, so users of the project's own auth do not get them. Throws
 * `not_found`.
 */
async function readSpan(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: RunId,
  span_id: string,
): Promise<PlacedSpan> {
  const run = await getRun(parts, caller, which)
  const entries = await parts.store.timelines.read(run.run_id)
  const { spans } = foldTimeline(entries, run.status === 'running')
  const span = spans.find((one) => one.span_id === span_id)
  if (!span) throw new AppError('not_found', `Run ${run.run_id} has no span ${span_id}.`)
  return isDeveloper(caller) ? span : withoutTexts(span)
}

function withoutTexts({ input, output, error, ...span }: PlacedSpan): PlacedSpan {
  if (!error) return span
  const { stack: _, ...told } = error
  return { ...span, error: told }
}
