/** `/internal/domains/ask`: where a proxy in front asks for which hosts it may obtain certificates. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { canonicalHost } from './host.ts'

const AskedSchema = z.object({ ok: z.literal(true) }).openapi('DomainAsked')

/**
 * Runyard's own, and Caddy's `on_demand_tls` with `ask`. Needs no key: it tells no more than a request to the
 * host itself would, and answers from memory.
 */
const ask = createRoute({
  method: 'get',
  path: '/internal/domains/ask',
  operationId: 'ask_for_domain_internal_domains_ask_get',
  summary: 'Ask whether a host is a domain of a deployment',
  tags: ['Domains (v2)'],
  security: [],
  request: { query: z.object({ domain: z.string().max(1024) }) },
  responses: { 200: json(AskedSchema, 'It is one.'), ...refusals(404, 422) },
})

export function domainAskRoutes({
  isDomain,
}: Pick<ControlPlaneParts, 'isDomain'>): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(ask, (c) => {
    if (isDomain(canonicalHost(c.req.valid('query').domain))) return c.json({ ok: true }, 200)
    throw new AppError('not_found', 'No deployment has this domain.')
  })
  return routes
}
