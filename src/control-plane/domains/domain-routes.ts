/**
 * `/v2/deployments/{deployment_id}/domains`, and `/internal/domains/ask`: a proxy in front asks there for which hosts it
 * may obtain certificates.
 */
import { z } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  openOperationsOf,
  operationsOf,
  type Routes,
} from '../operations/route.ts'
import {
  DomainCertificateRequestSchema,
  DomainCreateRequestSchema,
  DomainPathSchema,
  DomainSchema,
  DomainsListSchema,
  DomainsPathSchema,
} from './domain-schemas.ts'
import {
  addDomain,
  listDomains,
  removeDomain,
  removeDomainCertificate,
  setDomainCertificate,
} from './domains.ts'
import { canonicalHost } from './host.ts'

const operation = operationsOf('Domains (v2)')
const path = '/v2/deployments/{deployment_id}/domains'

/** Runyard's own: the domains of a deployment, whose root leads to it, and whether their DNS leads here. */
const list = operation('get', path, {
  name: 'list_domains',
  summary: 'List the domains of a deployment',
  request: { params: DomainsPathSchema },
  answers: { 200: json(DomainsListSchema, 'All of them: there are 20 at most.') },
  refusals: [404],
})

/** Runyard's own: the deployment serves the host at once, as soon as the DNS of the host leads here. */
const add = operation('post', path, {
  name: 'add_domain',
  summary: 'Add a domain to a deployment',
  request: { params: DomainsPathSchema, body: body(DomainCreateRequestSchema) },
  answers: { 201: json(DomainSchema, 'The domain.') },
  refusals: [400, 404, 409, 413],
})

const remove = operation('delete', `${path}/{host}`, {
  name: 'remove_domain',
  summary: 'Remove a domain from a deployment',
  request: { params: DomainPathSchema },
  answers: { 204: { description: 'It is not answered there any more.' } },
  refusals: [404, 409],
})

/** Runyard's own: clients that connect from now on see this certificate, where Runyard itself serves TLS. */
const setCertificate = operation('put', `${path}/{host}/certificate`, {
  name: 'set_certificate',
  summary: 'Set or renew the certificate of a domain',
  request: { params: DomainPathSchema, body: body(DomainCertificateRequestSchema) },
  answers: { 200: json(DomainSchema, 'The domain, without the key.') },
  refusals: [400, 404, 409, 413],
})

const removeCertificate = operation('delete', `${path}/{host}/certificate`, {
  name: 'remove_certificate',
  summary: 'Remove the certificate of a domain',
  request: { params: DomainPathSchema },
  answers: { 204: { description: "The installation's certificate is shown there from now on." } },
  refusals: [404, 409],
})

export function domainRoutes(parts: ControlPlaneParts): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) =>
    c.json(await listDomains(parts, c.var.principal, c.req.valid('param').deployment_id), 200),
  )
  routes.openapi(add, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await addDomain(parts, c.var.principal, deployment_id, request), 201)
  })
  routes.openapi(remove, async (c) => {
    await removeDomain(parts, c.var.principal, c.req.valid('param'))
    return c.body(null, 204)
  })
  routes.openapi(setCertificate, async (c) => {
    const [where, given] = [c.req.valid('param'), c.req.valid('json')]
    return c.json(await setDomainCertificate(parts, c.var.principal, where, given), 200)
  })
  routes.openapi(removeCertificate, async (c) => {
    await removeDomainCertificate(parts, c.var.principal, c.req.valid('param'))
    return c.body(null, 204)
  })
  return routes
}

const AskedSchema = z.object({ ok: z.literal(true) }).openapi('DomainAsked')

/**
 * Runyard's own, and Caddy's `on_demand_tls` with `ask`. Needs no key: the answer says no more than a
 * request to the host itself would, and comes from memory.
 */
const ask = openOperationsOf('Domains (v2)')('get', '/internal/domains/ask', {
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
