/** Pages of lists: the fields of a request for one, and the headers that lead to the next. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { optional } from './json.ts'

/** The fields of a request for a page. `limit`: how many entries a page has by default. */
export const pageFields = (limit: number) => ({
  limit: optional(z.int().min(1).max(1000)).openapi({ default: limit }),
  offset: optional(z.int().min(0)).openapi({ default: 0 }),
})

/** A text to search for. */
export const TextSchema = optional(z.string().trim().min(1).max(256))

/** How many entries a search for a text has looked at, if it ended before the last one. */
export const SEARCHED_HEADER = 'X-Search-Looked-At'
export const SearchedSchema = z.string().optional().openapi({
  description: 'With `text`: how many it has looked at; absent if there are no more',
})

/** The order of a page whose entries are sorted by one of these fields. */
export const sortFields = <const Fields extends readonly [string, ...string[]]>(
  fields: Fields,
  by: Fields[number],
) => ({
  sort_by: optional(z.enum(fields)).openapi({ default: by }),
  sort_order: optional(z.enum(['asc', 'desc'])).openapi({ default: 'desc' }),
})

/** The page without any of these fields. */
export const FIRST_PAGE = { limit: 10, offset: 0 }
export const NEWEST_FIRST = { sort_by: 'created_at', sort_order: 'desc' } as const

export const PaginationHeadersSchema = z.object({
  'X-Pagination-Total': z.string().openapi({ description: 'How many there are on all pages' }),
  'X-Pagination-Next': z
    .string()
    .optional()
    .openapi({ description: 'The `offset` of the next page; absent on the last' }),
})

/** Sets the headers of a page with `count` entries from `offset`. */
export function setPagination(
  c: Context,
  { offset, count, total }: { offset: number; count: number; total: number },
): void {
  const next = offset + count
  c.header('X-Pagination-Total', String(total))
  if (next < total) c.header('X-Pagination-Next', String(next))
}
