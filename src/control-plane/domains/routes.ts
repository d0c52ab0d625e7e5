/** `/v2/deployments/{deployment_id}/domains` */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { removeDomainCertificate, setDomainCertificate } from './certificates.ts'
import {
  DomainCertificateRequestSchema,
  DomainCreateRequestSchema,
  DomainPathSchema,
  DomainSchema,
  DomainsListSchema,
  DomainsPathSchema,
} from './schemas.ts'
import { addDomain, listDomains, removeDomain } from './verbs.ts'

const common = { tags: ['Domains (v2)'], security: SECURITY }
const path = '/v2/deployments/{deployment_id}/domains'

/** Runyard's own: the hosts of its own at whose root a deployment answers, and whether their DNS leads here. */
const list = createRoute({
  method: 'get',
  path,
  operationId: 'list_domains_v2_deployments__deployment_id__domains_get',
  summary: 'List the domains of a deployment',
  ...common,
  request: { params: DomainsPathSchema },
  responses: {
    200: json(DomainsListSchema, 'All of them: there are 20 at most.'),
    ...refusals(401, 403, 404, 422),
  },
})

/** Runyard's own: the deployment answers there at once, as soon as the DNS of the host leads here. */
const add = createRoute({
  method: 'post',
  path,
  operationId: 'add_domain_v2_deployments__deployment_id__domains_post',
  summary: 'Add a domain to a deployment',
  ...common,
  request: { params: DomainsPathSchema, body: body(DomainCreateRequestSchema) },
  responses: {
    201: json(DomainSchema, 'The domain.'),
    ...refusals(400, 401, 403, 404, 409, 413, 422),
  },
})

const remove = createRoute({
  method: 'delete',
  path: `${path}/{host}`,
  operationId: 'remove_domain_v2_deployments__deployment_id__domains__host__delete',
  summary: 'Remove a domain from a deployment',
  ...common,
  request: { params: DomainPathSchema },
  responses: {
    204: { description: 'It is not answered there any more.' },
    ...refusals(401, 403, 404, 409, 422),
  },
})

/** Runyard's own: shown to those who connect from now on, where Runyard itself speaks TLS. */
const setCertificate = createRoute({
  method: 'put',
  path: `${path}/{host}/certificate`,
  operationId: 'set_certificate_v2_deployments__deployment_id__domains__host__certificate_put',
  summary: 'Set or renew the certificate of a domain',
  ...common,
  request: { params: DomainPathSchema, body: body(DomainCertificateRequestSchema) },
  responses: {
    200: json(DomainSchema, 'The domain, without the key.'),
    ...refusals(400, 401, 403, 404, 409, 413, 422),
  },
})

const removeCertificate = createRoute({
  method: 'delete',
  path: `${path}/{host}/certificate`,
  operationId:
    'remove_certificate_v2_deployments__deployment_id__domains__host__certificate_delete',
  summary: 'Remove the certificate of a domain',
  ...common,
  request: { params: DomainPathSchema },
  responses: {
    204: { description: "The installation's certificate is shown there from now on." },
    ...refusals(401, 403, 404, 409, 422),
  },
})

export function domainRoutes(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await listDomains(parts, c.var.principal, deployment_id), 200)
  })
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
