/** `/internal/domains/ask`: a proxy in front asks here for which hosts it may obtain certificates. */
import { z } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import { createRoutes, json, openOperationsOf, type Routes } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { canonicalHost } from './host.ts'

const AskedSchema = z.object({ ok: z.literal(true) }).openapi('DomainAsked')

const operation = openOperationsOf('Domains (v2)')

/**
 * Runyard's own, and Caddy's `on_demand_tls` with `ask`. Needs no key: the answer says no more than a
 * request to the host itself would, and comes from memory.
 */
const ask = operation('get', '/internal/domains/ask', {
  name: 'ask_for_domain',
  summary: 'Ask whether a host is a domain of a deployment',
  request: { query: z.object({ domain: z.string().max(1024) }) },
  answers: { 200: json(AskedSchema, 'It is one.') },
  refusals: [404, 422],
})

export function domainAskRoutes({ isDomain }: Pick<ControlPlaneParts, 'isDomain'>): Routes {
  const routes = createRoutes()
  routes.openapi(ask, (c) => {
    if (isDomain(canonicalHost(c.req.valid('query').domain))) return c.json({ ok: true }, 200)
    throw new AppError('not_found', 'No deployment has this domain.')
  })
  return routes
}
