/** The search for runs: Runyard's own operation. */
import { createRoute, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { searchRuns } from './search.ts'
import {
  DEFAULT_RUNS,
  FoundRunSchema,
  RunSearchHeadersSchema,
  RunSearchSchema,
} from './search-schemas.ts'

const search = createRoute({
  method: 'post',
  path: '/runs/search',
  operationId: 'search_runs',
  tags: ['Thread Runs'],
  summary: 'A page of the runs of all threads, the latest first',
  request: { body: body(RunSearchSchema) },
  responses: {
    200: {
      description: 'Runs, without their kwargs',
      headers: RunSearchHeadersSchema,
      content: { 'application/json': { schema: z.array(FoundRunSchema) } },
    },
    ...refusals(422),
  },
})

export function runSearchRoutes(parts: Pick<Parts, 'store' | 'authorize'>) {
  const routes = createRoutes<AgentServerEnv>()
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
