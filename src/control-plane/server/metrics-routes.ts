/** `/metrics`: figures for the operators of the installation. */
import { z } from '@hono/zod-openapi'
import { METRICS_FORMATS } from '../../core/agent/server/metrics.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'

const operation = operationsOf('Installation (v2)')

/** For admins of the first workspace only: the figures are about all workspaces. */
const read = operation('get', '/metrics', {
  name: 'read_metrics',
  summary: 'Figures about deployments, rollouts, requests through the gateway and the process',
  request: { query: z.object({ format: z.enum(METRICS_FORMATS).default('prometheus') }) },
  answers: {
    200: {
      description: 'For Prometheus, or with `format=json` the same by name',
      content: {
        'text/plain': { schema: z.string() },
        ...json(z.record(z.string(), z.unknown()), '').content,
      },
    },
  },
})

export function metricsRoutes({ metrics }: Pick<ControlPlaneParts, 'metrics'>): Routes {
  const routes = createRoutes()
  routes.openapi(read, async (c) => {
    const { contentType, body } = await metrics.read(c.req.valid('query').format)
    return c.body(body, 200, { 'content-type': contentType }) as never
  })
  return routes
}
