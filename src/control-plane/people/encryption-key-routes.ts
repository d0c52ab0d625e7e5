/** `/v2/encryption-key/rotate` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { rotateEncryptionKey } from './encryption-key.ts'

/** For admins of the first workspace. Everything goes on meanwhile. */
const rotate = createRoute({
  method: 'post',
  path: '/v2/encryption-key/rotate',
  operationId: 'rotate_encryption_key_v2_encryption_key_rotate_post',
  summary: 'Change the encryption key, and seal all secrets with the new one',
  tags: ['Installation (v2)'],
  security: SECURITY,
  responses: {
    200: json(
      z.object({ resealed: z.int() }).openapi('EncryptionKeyRotated'),
      'How many sealed texts were sealed anew.',
    ),
    ...refusals(401, 403, 409),
  },
})

export function encryptionKeyRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'changeEncryptionKey' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(rotate, async (c) =>
    c.json(await rotateEncryptionKey(parts, c.var.principal), 200),
  )
  return routes
}
