/** The search for runs on the wire. */
import { z } from '@hono/zod-openapi'
import { RUN_STATUSES } from '../../core/agent/run.ts'
import { UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema, optional } from '../operations/json.ts'
import { RunSchema } from './schemas.ts'

const moment = () => z.int().openapi({ description: 'In ms since 1970.' })

export const FoundRunSchema = RunSchema.omit({ kwargs: true })
  .extend({
    graph_id: z.string().nullable(),
    error: z.object({ error: z.string(), message: z.string() }).nullable(),
    due_at: moment(),
    started_at: moment().nullable(),
    ended_at: moment().nullable(),
  })
  .openapi('FoundRun')

const AtSchema = optional(z.iso.datetime({ offset: true }))

/** Default page size, also for a request without a body. */
export const DEFAULT_RUNS = 10

/** Other fields are ignored. */
export const RunSearchSchema = z
  .object({
    status: optional(z.enum(RUN_STATUSES)),
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
    created_after: AtSchema,
    created_before: AtSchema,
    limit: optional(z.int().min(1).max(1000)).openapi({ default: DEFAULT_RUNS }),
    cursor: optional(
      z.string().regex(/^[0-9]{1,15}$/, 'Expected a cursor from X-Pagination-Next.'),
    ),
  })
  .openapi('RunSearch')

export const RunSearchHeadersSchema = z.object({
  'X-Pagination-Next': z
    .string()
    .optional()
    .openapi({ description: 'The `cursor` of the next page; absent on the last' }),
})
