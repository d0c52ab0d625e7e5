/** `/v2/encryption-key/rotate`: changes the key that secrets and tokens are encrypted with. */
import { z } from '@hono/zod-openapi'
import { DEFAULT_WORKSPACE_ID, type Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { record } from './audit.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'changeEncryptionKey' | 'clock'>

const operation = operationsOf('Installation (v2)')

/** For admins of the first workspace. The installation keeps running meanwhile. */
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

export function encryptionKeyRoutes(parts: Parts): Routes {
  const routes = createRoutes()
  routes.openapi(rotate, async (c) =>
    c.json(await rotateEncryptionKey(parts, c.var.principal), 200),
  )
  return routes
}

/**
 * Makes a new key and re-encrypts everything with it, without a pause. Throws `conflict` when the key is
 * set in the environment, or during another rotation.
 */
async function rotateEncryptionKey(parts: Parts, principal: Principal) {
  const resealed = await parts.changeEncryptionKey()
  await record(parts.store, parts.clock, principal, {
    action: 'encryption_key.rotate',
    target_id: DEFAULT_WORKSPACE_ID,
    detail: { resealed },
  })
  return { resealed }
}
