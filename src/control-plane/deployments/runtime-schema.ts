/** How a deployment runs, on the wire. */
import { z } from '@hono/zod-openapi'

/**
 * `state`: `stopped` before anything is deployed; `asleep` while nobody asks for it (`min_scale` 0);
 * `restarting` while an agent server that died is started again, ever more seldom. A replica's
 * `reason` says how it ended last, or what its start does.
 */
export const RuntimeSchema = z
  .object({
    revision_id: z.uuid().nullable(),
    state: z.enum(['stopped', 'asleep', 'starting', 'serving', 'restarting', 'failed']),
    asleep_since: z.iso.datetime().nullable(),
    wake_at: z.iso.datetime().nullable(),
    replicas: z.array(
      z.object({
        state: z.enum(['starting', 'healthy', 'restarting', 'failed']),
        since: z.iso.datetime(),
        restarts: z.int(),
        reason: z.string().nullable(),
        running: z.int().nullable(),
        lag_ms: z.int().nullable(),
      }),
    ),
  })
  .openapi('DeploymentRuntime')

export type RuntimeAnswer = z.infer<typeof RuntimeSchema>
