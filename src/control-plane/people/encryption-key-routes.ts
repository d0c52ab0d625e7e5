/** `/v2/encryption-key/rotate` */
import { z } from '@hono/zod-openapi'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { rotateEncryptionKey } from './encryption-key.ts'

const operation = operationsOf('Installation (v2)')

/** For admins of the first workspace. Everything goes on meanwhile. */
const rotate = operation('post', '/v2/encryption-key/rotate', {
  name: 'rotate_encryption_key',
  summary: 'Change the encryption key, and seal all secrets with the new one',
  answers: {
    200: json(
      z.object({ resealed: z.int() }).openapi('EncryptionKeyRotated'),
      'How many sealed texts were sealed anew.',
    ),
  },
  refusals: [409],
})

export function encryptionKeyRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'changeEncryptionKey' | 'clock'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(rotate, async (c) =>
    c.json(await rotateEncryptionKey(parts, c.var.principal), 200),
  )
  return routes
}
