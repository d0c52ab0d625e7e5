/** The headers that lead to the next page. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'

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
