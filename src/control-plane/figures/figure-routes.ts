/** `/v2/figures` and the figures of one deployment: Runyard's own. */

import { z } from '@hono/zod-openapi'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { Moment, nullishOf } from '../operations/text.ts'
import { readDeploymentFigures, readInstallationFigures, readWorkspaceFigures } from './figures.ts'

// Figures on the wire.

const Amount = z.number().min(0)
const Counts = z.record(z.string(), z.number().int())

const PercentilesSchema = z
  .object({ count: z.number().int(), p50: Amount, p95: Amount, p99: Amount })
  .openapi('FigurePercentiles', {
    description: 'In seconds, estimated within ranges; none exceeds the longest.',
  })

const times = (description: string) =>
  PercentilesSchema.nullable().openapi({ description: `${description}; null: none.` })

const PointSchema = z
  .object({
    at: z.iso.datetime().openapi({ description: 'When its step began.' }),
    servers: z.number().int().openapi({ description: 'Agent servers that answered.' }),
    cpu_cores: Amount.openapi({ description: 'Processors in use, on average.' }),
    memory_bytes: Amount,
    event_loop_delay_seconds: Amount.openapi({
      description: 'How late the event loop was: the 99th percentile of the worst process.',
    }),
    waiting: Amount.openapi({ description: 'Runs that wait and are due.' }),
    delayed: Amount.openapi({ description: 'Runs that are not due yet.' }),
    running: Amount,
    queue_age_seconds: Amount.openapi({
      description: 'How long the run that waited longest had been due.',
    }),
    streams_open: Amount,
    webhooks_pending: Amount,
    database_bytes: Amount,
    requests: z.number().int().openapi({
      description: 'Answered through the gateway, without those with `X-Runyard-Wake`.',
    }),
    refusals: z.number().int().openapi({ description: 'Of these with 4xx.' }),
    errors: z.number().int().openapi({ description: 'Of these with 5xx.' }),
    runs: Counts.openapi({ description: 'Runs that ended, by status.' }),
    webhooks: Counts.openapi({
      description: 'Attempts to deliver webhooks, by the status of the delivery after them.',
    }),
    tokens: Counts.openapi({ description: 'Tokens of models, `input` and `output`.' }),
    request_seconds: times('From a request to the end of its answer'),
    wait_seconds: times('From when a run was due to its start'),
    first_output_seconds: times("From when a run was due to its graph's first output"),
    first_token_seconds: times('From when a run was due to the first token of a model'),
    duration_seconds: times('From the start of a run to its end'),
  })
  .openapi('FigurePoint', {
    description:
      'What happened in a step. Counts are sums over it; of everything else it is the largest value.',
  })

const range = {
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step_seconds: z.number(),
}

const points = z
  .array(PointSchema)
  .openapi({ description: 'In the order of time; a step in which nothing ran has no point.' })

const summary = {
  now: nullishOf(PointSchema).openapi({
    description: 'The latest step; null: nothing of it runs.',
  }),
  total: nullishOf(PointSchema).openapi({
    description: 'The whole time in one point; null: nothing of it ran.',
  }),
}

const DeploymentFiguresSchema = z
  .object({ deployment_id: z.string(), ...range, ...summary, points })
  .openapi('DeploymentFigures')

const OneAtAGlanceSchema = z
  .object({
    deployment_id: z.string(),
    name: z.string(),
    ...summary,
  })
  .openapi('DeploymentAtAGlance')

const WorkspaceFiguresSchema = z
  .object({
    ...range,
    ...summary,
    points: points.openapi({ description: 'Of all deployments together.' }),
    deployments: z.array(OneAtAGlanceSchema),
  })
  .openapi('WorkspaceFigures')

const InstallationFiguresSchema = z
  .object({
    ...range,
    points: points.openapi({ description: 'Of the deployments of all workspaces together.' }),
    control_plane: points.openapi({
      description: 'Of the control plane itself; requests are those to its own API.',
    }),
  })
  .openapi('InstallationFigures')

const FiguresQuerySchema = z.object({
  from: Moment.optional().openapi({ description: 'Default: an hour before the end.' }),
  to: Moment.optional().openapi({ description: 'Default: now.' }),
  step: z.coerce.number().int().min(1).max(86_400).optional().openapi({
    description: 'In seconds; rounded up to whole kept ones. Default: about 120 points.',
  }),
})

const operation = operationsOf('Figures (v2)')

const ofDeployment = operation('get', '/v2/deployments/{deployment_id}/figures', {
  name: 'read_deployment_figures',
  summary: 'Figures of a deployment over the last day',
  request: { params: DeploymentPathSchema, query: FiguresQuerySchema },
  answers: { 200: json(DeploymentFiguresSchema, 'A point for each step.') },
  refusals: [404],
})

const ofWorkspace = operation('get', '/v2/figures', {
  name: 'read_workspace_figures',
  summary: "Figures of the workspace's deployments, together and each at a glance",
  request: { query: FiguresQuerySchema },
  answers: { 200: json(WorkspaceFiguresSchema, 'All together, and each.') },
})

/** For admins of the first workspace only: the figures are about all workspaces. */
const ofInstallation = operation('get', '/v2/installation/figures', {
  name: 'read_installation_figures',
  summary: 'Figures of the whole installation, and of the control plane itself',
  request: { query: FiguresQuerySchema },
  answers: { 200: json(InstallationFiguresSchema, 'All together, and the control plane.') },
})

export function figuresRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'figuresStepMs'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(ofDeployment, async (c) => {
    const query = { ...c.req.valid('param'), ...c.req.valid('query') }
    return c.json(await readDeploymentFigures(parts, c.var.principal, query), 200)
  })
  routes.openapi(ofWorkspace, async (c) =>
    c.json(await readWorkspaceFigures(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(ofInstallation, async (c) =>
    c.json(await readInstallationFigures(parts, c.req.valid('query')), 200),
  )
  return routes
}
