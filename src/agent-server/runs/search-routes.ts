/** The search for runs: Runyard's own operation. */

import { z } from '@hono/zod-openapi'
import { given } from '../operations/given.ts'
import { body, createRoutes, operationsOf } from '../operations/route.ts'
import type { Parts } from '../parts.ts'
import { searchRuns } from './search.ts'
import {
  DEFAULT_RUNS,
  FoundRunSchema,
  RunSearchHeadersSchema,
  RunSearchSchema,
} from './search-schemas.ts'

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
    const {
      limit = DEFAULT_RUNS,
      cursor,
      created_after,
      created_before,
      ...query
    } = c.req.valid('json')
    const wanted = given({
      ...query,
      created_after: inUtc(created_after),
      created_before: inUtc(created_before),
    })
    const page = { limit, ...(cursor !== undefined && { before: Number(cursor) }) }
    const { runs, next } = await searchRuns(parts, c.var.caller, wanted, page)
    if (next !== undefined) c.header('X-Pagination-Next', String(next))
    return c.json(runs, 200)
  })
  return routes
}

/** The stored form of times, which sorts by time. */
function inUtc(at: string | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
