/** `/v2/deployments/{deployment_id}/upload-url` and the URLs in its answers. */
import { z } from '@hono/zod-openapi'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import {
  createRoutes,
  json,
  openOperationsOf,
  operationsOf,
  type Routes,
} from '../operations/route.ts'
import { GZIP, SignedQuerySchema } from './source-schemas.ts'
import { createUpload, receiveUpload } from './uploads.ts'

const operation = operationsOf('Deployments (v2)')

/** Answers the URL to PUT the source tarball to, and its name for the PATCH that follows. */
const create = operation('post', '/v2/deployments/{deployment_id}/upload-url', {
  name: 'create_upload_url',
  summary: 'Make an upload URL',
  request: { params: DeploymentPathSchema },
  answers: {
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
  },
  refusals: [404, 409],
})

/** Needs no key: the URL is signed and expires. */
const receive = openOperationsOf('Deployments (v2)')('put', '/v2/uploads/{deployment_id}/{file}', {
  name: 'receive_upload',
  summary: 'Upload a source tarball',
  request: {
    params: z.object({ deployment_id: z.string(), file: z.string() }),
    query: SignedQuerySchema,
    body: { required: true, content: GZIP },
  },
  answers: { 200: { description: 'It has arrived.' } },
  refusals: [400, 403, 409, 413],
})

export function uploadUrlRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await createUpload(parts, c.var.principal, deployment_id), 200)
  })
  return routes
}

/** The one operation that is open: mounted before the key check. */
export function uploadRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'tarballs' | 'signingKey' | 'clock'>,
): Routes {
  const routes = createRoutes()
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
