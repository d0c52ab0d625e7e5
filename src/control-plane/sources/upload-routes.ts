/** `/v2/deployments/{deployment_id}/upload-url` and the URLs that it hands out. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema } from '../deployments/schemas.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { createUpload, receiveUpload } from './uploads.ts'

const tags = ['Deployments (v2)']

/** Answers where to PUT the source tarball, and what to name it in the PATCH that follows. */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/upload-url',
  operationId: 'create_upload_url_v2_deployments__deployment_id__upload_url_post',
  summary: 'Make an upload URL',
  tags,
  security: SECURITY,
  request: { params: DeploymentPathSchema },
  responses: {
    200: json(
      z
        .object({
          upload_url: z.string(),
          object_path: z.string(),
          upload_headers: z.record(z.string(), z.string()).openapi({
            description: 'The headers to send with the PUT.',
          }),
        })
        .openapi('UploadUrl'),
      'Where to PUT a .tar.gz of up to 200 MiB within an hour, and its source_tarball_path.',
    ),
    ...refusals(401, 403, 404, 409, 422),
  },
})

/** Needs no key: the URL is signed and ends. */
const receive = createRoute({
  method: 'put',
  path: '/v2/uploads/{deployment_id}/{file}',
  operationId: 'receive_upload_v2_uploads__deployment_id___file__put',
  summary: 'Upload a source tarball',
  tags,
  security: [],
  request: {
    params: z.object({ deployment_id: z.string(), file: z.string() }),
    query: z.object({
      expires: z.coerce.number().int().catch(0).openapi({ type: 'integer' }),
      signature: z.string().catch('').openapi({ type: 'string' }),
    }),
    body: {
      required: true,
      content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: { 200: { description: 'It has arrived.' }, ...refusals(400, 403, 409, 413) },
})

export function uploadUrlRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await createUpload(parts, c.var.principal, deployment_id), 200)
  })
  return routes
}

/** The one operation that is open: mounted before the key check. */
export function uploadRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'tarballs' | 'signingKey' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(receive, async (c) => {
    const { deployment_id, file } = c.req.valid('param')
    const announced = Number(c.req.header('content-length'))
    await receiveUpload(parts, `${deployment_id}/${file}`, c.req.valid('query'), {
      stream: c.req.raw.body,
      announcedBytes: Number.isFinite(announced) ? announced : undefined,
    })
    return c.body(null, 200, { 'content-length': '0' })
  })
  return routes
}
