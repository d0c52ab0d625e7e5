/** The search for runs: Runyard's own operation. */

import { z } from '@hono/zod-openapi'
import type { Caller } from '../../core/agent/authorization.ts'
import { excerptOfRun } from '../../core/agent/excerpt.ts'
import {
  isTerminal,
  RUN_STATUSES,
  type RunQuery,
  type FoundRun as StoredRun,
} from '../../core/agent/run.ts'
import { filterOfSeen } from '../access/project-auth.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { UuidSchema } from '../operations/ids.ts'
import { InstantSchema, JsonObjectSchema, optional } from '../operations/json.ts'
import { SEARCHED_HEADER, SearchedSchema, TextSchema } from '../operations/pagination.ts'
import { body, createRoutes, operationsOf } from '../operations/route.ts'
import { runOnWire } from './run-on-wire.ts'
import { ExcerptSchema, RunSchema } from './run-schemas.ts'

const moment = () => z.int().openapi({ description: 'In ms since 1970.' })

const FoundRunSchema = RunSchema.omit({ kwargs: true })
  .extend({
    graph_id: z.string().nullable(),
    error: z.object({ error: z.string(), message: z.string() }).nullable(),
    due_at: moment(),
    started_at: moment().nullable(),
    ended_at: moment().nullable(),
    excerpt: ExcerptSchema,
    is_waiting: z.boolean(),
  })
  .openapi('FoundRun')

/** Default page size, also for a request without a body. */
const DEFAULT_RUNS = 10

/** Other fields are ignored. */
const RunSearchSchema = z
  .object({
    run_id: optional(UuidSchema),
    status: optional(z.enum(RUN_STATUSES)),
    is_waiting: optional(z.boolean()).openapi({
      description: 'Whether it ended with a question that its thread still waits to have answered.',
    }),
    assistant_id: optional(UuidSchema),
    thread_id: optional(UuidSchema),
    metadata: optional(JsonObjectSchema).openapi({
      description:
        "Contained in the run's own: each key with its value, of objects and lists a part.",
    }),
    error: optional(z.string().min(1).max(256)).openapi({
      description:
        'A part of the error, its name or its message; upper and lower case are the same.',
    }),
    text: TextSchema.openapi({
      description:
        'Mentioned in its input (up to 16 KiB), its answer to a question, or its excerpt, whatever its case. It looks at ' +
        'the latest 1,000 runs before the cursor, and at 16 MiB of them.',
    }),
    created_after: InstantSchema,
    created_before: InstantSchema,
    limit: optional(z.int().min(1).max(1000)).openapi({ default: DEFAULT_RUNS }),
    cursor: optional(
      z.string().regex(/^[0-9]{1,15}$/, 'Expected a cursor from X-Pagination-Next.'),
    ),
  })
  .openapi('RunSearch')

const RunSearchHeadersSchema = z.object({
  [SEARCHED_HEADER]: SearchedSchema,
  'X-Pagination-Next': z
    .string()
    .optional()
    .openapi({ description: 'The `cursor` of the next page; absent on the last' }),
})

const operation = operationsOf('Thread Runs')

const search = operation('post', '/runs/search', {
  id: 'search_runs',
  summary: 'A page of the runs of all threads, the latest first',
  request: { body: body(RunSearchSchema) },
  answers: {
    200: {
      description: 'Runs, without their kwargs',
      headers: RunSearchHeadersSchema,
      content: { 'application/json': { schema: z.array(FoundRunSchema) } },
    },
  },
})

export function runSearchRoutes(parts: Pick<Parts, 'store' | 'authorize'>) {
  const routes = createRoutes()
  routes.openapi(search, async (c) => {
    const { limit = DEFAULT_RUNS, cursor, ...query } = c.req.valid('json')
    const page = { limit, ...(cursor !== undefined && { before: Number(cursor) }) }
    const { runs, next, lookedAt } = await searchRuns(parts, c.var.caller, given(query), page)
    if (next !== undefined) c.header('X-Pagination-Next', String(next))
    if (lookedAt !== undefined) c.header(SEARCHED_HEADER, String(lookedAt))
    return c.json(runs, 200)
  })
  return routes
}

/** A run in a list: without its `kwargs`, with its error and times. */
type FoundRun = z.infer<typeof FoundRunSchema>

/**
 * One page of the runs on threads that the caller may see, the latest first. `next`: start of the next page. `lookedAt`:
 * the search for a text ended after so many runs, and there are more.
 */
async function searchRuns(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  { text, ...query }: Omit<RunQuery, 'filter'> & { text?: string },
  page: { limit: number; before?: number },
): Promise<{ runs: FoundRun[]; next?: number | undefined; lookedAt?: number }> {
  const filter = await filterOfSeen(parts, caller)
  const wanted = { ...query, ...(filter && { filter }) }
  const asked = { ...page, limit: page.limit + 1 }
  const { runs: store } = parts.store
  const { runs: found, ...bound } =
    text === undefined
      ? { runs: await store.search(wanted, asked) }
      : await store.searchText(wanted, text, asked)
  const runs = found.slice(0, page.limit)
  return {
    runs: runs.map(present),
    next: found.length > page.limit ? runs.at(-1)?.seq : undefined,
    ...bound,
  }
}

function present(run: StoredRun): FoundRun {
  const { kwargs: _, ...wire } = runOnWire(run)
  const { graph_id } = run.metadata
  return {
    ...wire,
    graph_id: typeof graph_id === 'string' ? graph_id : null,
    error: run.error,
    due_at: run.available_at,
    started_at: run.started_at,
    ended_at: isTerminal(run.status) ? Date.parse(run.updated_at) : null,
    excerpt: excerptOfRun(run),
    is_waiting: run.is_waiting,
  }
}
