/** Crons on the wire. */
import { z } from '@hono/zod-openapi'
import { CRON_RUN_STATUSES, CRON_SORT_FIELDS, ON_RUN_COMPLETED } from '../../core/agent/cron.ts'
import { AssistantIdSchema, UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema, optional } from '../operations/json.ts'
import { pageFields, sortFields } from '../operations/pagination.ts'
import { cronRunFields } from '../runs/run-schemas.ts'

const HAS_ZONE = /(z|[+-]\d\d:?\d\d)$/i

/** A time; without a zone, in UTC. Converted to UTC, with milliseconds. */
const MomentSchema = z
  .string()
  .transform((text, context) => {
    const isTimed = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
    const time = Date.parse(isTimed && !HAS_ZONE.test(text) ? `${text}Z` : text)
    if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time)) return new Date(time).toISOString()
    context.addIssue('Expected a date and a time in the form of ISO 8601.')
    return z.NEVER
  })
  .openapi({ type: 'string', format: 'date-time' })

const ScheduleSchema = z
  .string()
  .max(256)
  .openapi({
    description:
      'Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, ' +
      '@monthly, @yearly.',
    example: '0 9 * * 1-5',
    format: 'cron',
  })

const TimezoneSchema = z.string().max(64).nullish().openapi({
  format: 'time-zone',
  description: 'The time zone of the schedule (IANA); null: UTC.',
  example: 'Europe/Berlin',
})

const OnRunCompletedSchema = optional(z.enum(ON_RUN_COMPLETED)).openapi({
  default: 'delete',
  description: 'Whether the thread that a firing was given goes when its run has ended.',
})

const commonFields = {
  timezone: TimezoneSchema,
  end_time: MomentSchema.nullish().openapi({
    type: 'string',
    format: 'date-time',
    description: 'From this moment on it is not due any more.',
  }),
  metadata: optional(JsonObjectSchema).openapi({
    description: 'Of the cron, and of its runs, which have its `cron_id` besides.',
  }),
  enabled: optional(z.boolean()).openapi({ default: true }),
}

const { multitask_strategy, ...runFields } = cronRunFields

/** Other fields are ignored. */
export const CronCreateSchema = z
  .object({
    schedule: ScheduleSchema,
    assistant_id: AssistantIdSchema,
    ...commonFields,
    ...runFields,
    on_run_completed: OnRunCompletedSchema,
  })
  .openapi('CronCreate')

export const ThreadCronCreateSchema = z
  .object({
    schedule: ScheduleSchema,
    assistant_id: AssistantIdSchema,
    ...commonFields,
    ...runFields,
    multitask_strategy,
  })
  .openapi('ThreadCronCreate')

export const CronPatchSchema = z
  .object({
    schedule: optional(ScheduleSchema),
    ...commonFields,
    ...runFields,
    multitask_strategy,
    on_run_completed: OnRunCompletedSchema,
  })
  .openapi('CronPatch')

const MOMENT = z.string().openapi({ format: 'date-time' })

const CronRunSchema = z
  .object({
    run_id: z
      .string()
      .nullable()
      .openapi({
        type: ['string', 'null'],
        format: 'uuid',
        description: 'null: it was refused. It may be gone by now, with its thread.',
      }),
    thread_id: z
      .string()
      .nullable()
      .openapi({ type: ['string', 'null'], format: 'uuid' }),
    created_at: MOMENT,
    status: z.enum(CRON_RUN_STATUSES),
    error: z.string().nullable().openapi({ description: 'Why it failed, or was refused.' }),
  })
  .openapi('CronRun')

export const CronSchema = z
  .object({
    cron_id: z.string().openapi({ format: 'uuid' }),
    assistant_id: z.string().openapi({ format: 'uuid' }),
    thread_id: z
      .string()
      .nullable()
      .openapi({
        type: ['string', 'null'],
        format: 'uuid',
        description: 'null: each firing has a thread of its own.',
      }),
    end_time: MOMENT.nullable(),
    schedule: z.string(),
    timezone: z.string().nullable(),
    created_at: MOMENT,
    updated_at: MOMENT,
    user_id: z.string().nullable(),
    payload: JsonObjectSchema.openapi({ description: 'What its runs are created with.' }),
    next_run_date: MOMENT.nullable().openapi({
      description: 'null: never again, or not while it is not enabled.',
    }),
    last_run: CronRunSchema.nullable().openapi({
      description:
        'Its latest run, and how that ended; null: there was none yet. Of Runyard alone.',
    }),
    metadata: JsonObjectSchema,
    enabled: z.boolean(),
    on_run_completed: z.enum(ON_RUN_COMPLETED).nullable(),
  })
  .openapi('Cron')

export const CronPathSchema = z.object({ cron_id: UuidSchema })

const QUERY_FIELDS = {
  assistant_id: optional(AssistantIdSchema),
  thread_id: optional(UuidSchema),
  enabled: optional(z.boolean()),
  metadata: optional(JsonObjectSchema).openapi({
    description: 'Contained in the metadata: each key with its value, of objects and lists a part.',
  }),
}

/** `now` is a field of other servers' crons. */
const SelectSchema = z
  .array(z.enum([...CronSchema.keyof().options, 'now']))
  .transform((fields) => fields.filter((field) => field !== 'now'))

export const CronSearchSchema = z
  .object({
    ...QUERY_FIELDS,
    ...pageFields(10),
    ...sortFields(CRON_SORT_FIELDS, 'created_at'),
    select: optional(SelectSchema),
  })
  .openapi('CronSearch')

export const CronCountSchema = z.object(QUERY_FIELDS).openapi('CronCountRequest')
