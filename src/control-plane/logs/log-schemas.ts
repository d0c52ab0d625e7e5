/** Logs on the wire: entries, and the ways to ask for them. */
import { z } from '@hono/zod-openapi'
import { LINE_SOURCES } from '../../core/deployment/log-source.ts'
import {
  ENTRY_ID,
  LOG_ENTRY_LEVELS,
  type LogEntryLevel,
  type LogQuery,
  parseEntryId,
} from '../../core/deployment/revision-log.ts'
import { freeText, line, nullishOf, Uuid } from '../operations/text.ts'

/** The filters of a request for logs. */
export type LogFilter = Omit<LogQuery, 'kind' | 'sources'>

/** `id` is the same whenever the entry is read. */
const LogEntrySchema = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    level: z.enum(LOG_ENTRY_LEVELS),
    message: z.string(),
    source: z.enum(LINE_SOURCES).optional().openapi({
      description:
        'Only of deploy logs: whether the agent server itself says so, or the code of the project prints it.',
    }),
  })
  .openapi('LogEntry')

/** `next_offset` is the `offset` of the next page; null when there is nothing more. */
export const LogsSchema = z
  .object({ logs: z.array(LogEntrySchema), next_offset: z.string().nullable() })
  .openapi('Logs')

/** `next_cursor` is the `cursor` of the next page; null when there is nothing more. */
export const DeploymentLogsSchema = z
  .object({ items: z.array(LogEntrySchema), next_cursor: z.string().nullable() })
  .openapi('DeploymentLogEntriesList')

const Order = z.enum(['asc', 'desc'])

/** One level, in any case; only entries of exactly that level are answered. */
const Level = z
  .string()
  .max(32)
  .transform((text, context): LogEntryLevel => {
    const level = LOG_ENTRY_LEVELS.find((one) => one === text.toUpperCase())
    if (!level) {
      const message = `Expected one of ${LOG_ENTRY_LEVELS.join(', ')}`
      context.addIssue({ code: 'custom', message })
    }
    return level ?? 'INFO'
  })
  .openapi({ type: 'string', enum: [...LOG_ENTRY_LEVELS] })

/** ISO 8601, in UTC if it names no time zone; a day alone means its first millisecond. */
const Time = z
  .string()
  .max(64)
  .transform((text, context): number => {
    const isDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/i
    const hasZone = /(?:Z|[T ].*[+-]\d\d:?\d\d)$/i.test(text) || text.length === 10
    const ms = isDate.test(text) ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN
    if (Number.isNaN(ms)) {
      context.addIssue({ code: 'custom', message: 'Expected a time such as 2026-11-20T12:00:00Z' })
    }
    return ms
  })
  .openapi({ type: 'string', format: 'date-time' })

/** The offset or cursor of an earlier answer; empty or null: from the beginning. */
const Place = z
  .string()
  .max(256)
  .refine(
    (text) => text === '' || parseEntryId(text) !== undefined,
    'Expected what the page before answered as the place of the next one',
  )
  .openapi({ pattern: `^$|${ENTRY_ID.source}` })

const filters = {
  query: freeText(1024).nullish(),
  level: Level.nullish().openapi({ type: ['string', 'null'], enum: [...LOG_ENTRY_LEVELS, null] }),
  start_time: nullishOf(Time),
  end_time: nullishOf(Time),
  run_id: line(256).nullish(),
}

/** The body of the log operations below `/v1/projects`; every member may be left out. */
export const LogsRequestSchema = z
  .object({
    order: Order.nullish(),
    limit: z.int().min(1).max(1000).nullish(),
    offset: Place.nullish(),
    ...filters,
  })
  .openapi('LogsRequest')

export const RevisionLogsQuerySchema = z.object({
  type: z.enum(['build', 'deploy']),
  order: Order.default('asc'),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  offset: Place.optional(),
  ...queries(),
})

/** `log_type` BUILD or DEPLOY, of one revision or of all. */
export const DeploymentLogsQuerySchema = z.object({
  deployment_id: Uuid,
  revision_id: Uuid.optional(),
  log_type: z.enum(['BUILD', 'DEPLOY']).default('DEPLOY'),
  sort_order: Order.default('asc'),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
  cursor: Place.optional(),
  ...queries(),
})

export const ProjectPathSchema = z.object({ project_id: Uuid })
export const ProjectRevisionPathSchema = z.object({ project_id: Uuid, revision_id: Uuid })

type Nullish<T> = { [Name in keyof T]?: T[Name] | null | undefined }

/** The filter of a request, whose members have different names in each form. */
export function logFilter({
  start_time,
  end_time,
  ...asked
}: Nullish<
  Omit<LogFilter, 'startMs' | 'endMs'> & { start_time: number; end_time: number }
>): LogFilter {
  return {
    order: asked.order ?? 'asc',
    limit: asked.limit ?? 50,
    after: asked.after || undefined,
    level: asked.level ?? undefined,
    query: asked.query || undefined,
    run_id: asked.run_id || undefined,
    startMs: start_time ?? undefined,
    endMs: end_time ?? undefined,
  }
}

/** The filters as members of a query, which has no null. */
function queries() {
  return {
    query: freeText(1024).optional(),
    level: Level.optional(),
    start_time: Time.optional(),
    end_time: Time.optional(),
    run_id: line(256).optional(),
  }
}
