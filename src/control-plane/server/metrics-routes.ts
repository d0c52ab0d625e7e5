/** `/metrics`: figures for those who run the installation. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { METRICS_FORMATS } from '../../core/agent/server/metrics.ts'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'

/** For admins of the first workspace only: the figures are about all workspaces. */
const read = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'read_metrics_metrics_get',
  summary: 'Figures about deployments, rollouts, requests through the gateway and the process',
  tags: ['Installation (v2)'],
  security: SECURITY,
  request: { query: z.object({ format: z.enum(METRICS_FORMATS).default('prometheus') }) },
  responses: {
    200: {
      description: 'For Prometheus, or with `format=json` the same by name',
      content: {
        'text/plain': { schema: z.string() },
        ...json(z.record(z.string(), z.unknown()), '').content,
      },
    },
    ...refusals(401, 403, 422),
  },
})

export function metricsRoutes({
  metrics,
}: Pick<ControlPlaneParts, 'metrics'>): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(read, async (c) => {
    const { contentType, body } = await metrics.read(c.req.valid('query').format)
    return c.body(body, 200, { 'content-type': contentType }) as never
  })
  return routes
}
