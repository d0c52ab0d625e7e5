/**
 * `/internal/artifacts/{revision_id}/{digest}`: agent servers on other machines fetch built folders here, and builds
 * there fetch their source. `/internal/builds/…`: such builds upload their result here.
 */
import { z } from '@hono/zod-openapi'
import { isArtifactGranted, isBuiltGranted } from '../../core/deployment/artifacts/grant.ts'
import { AppError } from '../../core/errors.ts'
import type { StoredObject } from '../../core/object-store.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { createRoutes, openOperationsOf, type Routes } from '../operations/route.ts'
import { GZIP, SignedQuerySchema } from './source-schemas.ts'

const params = z.object({ revision_id: z.string(), digest: z.string() })

const operation = openOperationsOf('Deployments (v2)')

/** Needs no key: the URL is signed, for one folder, and expires. */
const fetchOne = operation('get', '/internal/artifacts/{revision_id}/{digest}', {
  name: 'fetch_artifact',
  summary: 'Fetch a built folder',
  request: { params, query: SignedQuerySchema },
  answers: {
    200: { description: 'The folder as a .tar.gz.', content: GZIP },
    302: { description: 'It lies in a store, at the address in `location`, for some minutes.' },
  },
  refusals: [403, 404],
})

/** Needs no key: the URL is signed, for one revision, and works until that is built. */
const bringOne = operation('put', '/internal/builds/{revision_id}/{digest}', {
  name: 'bring_built',
  summary: 'Bring what was built elsewhere',
  request: {
    params,
    query: SignedQuerySchema,
    body: { required: true, content: GZIP },
  },
  answers: { 200: { description: 'It has arrived.' } },
  refusals: [400, 403, 409, 413],
})

export function artifactRoutes(
  parts: Pick<ControlPlaneParts, 'packed' | 'signingKey' | 'clock'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(fetchOne, async (c) => {
    const found = await openArtifact(parts, c.req.valid('param'), c.req.valid('query'))
    if ('url' in found) return c.redirect(found.url, 302)
    const headers = { 'content-type': 'application/gzip', 'content-length': String(found.bytes) }
    return new Response(ReadableStream.from(found.body) as ReadableStream<Uint8Array>, { headers })
  })
  routes.openapi(bringOne, async (c) => {
    const { revision_id, digest } = c.req.valid('param')
    const { packed, signingKey, clock } = parts
    const isOurs = isBuiltGranted(signingKey, revision_id, c.req.valid('query'), clock.now())
    if (!isOurs || !packed) {
      throw new AppError('forbidden', 'The address is not valid or no longer: build it anew.')
    }
    const { body } = c.req.raw
    if (!body) throw new AppError('bad_request', 'The body is empty: PUT the .tar.gz itself.')
    await packed.receive(revision_id, digest, body)
    return c.body(null, 200, { 'content-length': '0' })
  })
  return routes
}

/** Throws `forbidden` for a URL that is not ours or has expired, `not_found` for a removed folder. */
async function openArtifact(
  { packed, signingKey, clock }: Pick<ControlPlaneParts, 'packed' | 'signingKey' | 'clock'>,
  { revision_id, digest }: { revision_id: string; digest: string },
  grant: { expires: number; signature: string },
): Promise<StoredObject | { url: string }> {
  if (!isArtifactGranted(signingKey, { revision_id, digest }, grant, clock.now())) {
    throw new AppError('forbidden', 'The address is not valid or no longer: start its pod anew.')
  }
  const found = await packed?.open(revision_id, digest)
  if (found) return found
  throw new AppError('not_found', 'What was built is not kept any longer: deploy a new revision.')
}
