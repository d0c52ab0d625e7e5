/** How a deployment runs just now, as far as this process knows, and how the API answers it. */

import { z } from '@hono/zod-openapi'
import { momentOf } from '../../core/clock.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { REVISION_STATUSES } from '../../core/deployment/revision.ts'
import type { Replica } from '../../core/deployment/runtime.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { maskOf } from '../rollout/failure.ts'
import { requireDeployment } from './access.ts'

/**
 * `state`: `stopped` before anything is deployed; `asleep` while no requests come (`min_scale` 0);
 * `restarting` while an agent server that died is started again, with growing pauses. A replica's
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

const RevisionGlanceSchema = z
  .object({ id: z.uuid(), number: z.int(), status: z.enum(REVISION_STATUSES) })
  .nullable()

/** `active`: the revision that serves; `latest`: the newest one. `state`: as in `DeploymentRuntime`. */
export const DeploymentStatesSchema = z
  .object({
    resources: z.array(
      z.object({
        deployment_id: z.uuid(),
        name: z.string(),
        state: RuntimeSchema.shape.state,
        active: RevisionGlanceSchema,
        latest: RevisionGlanceSchema,
      }),
    ),
  })
  .openapi('DeploymentStates')

type RuntimeAnswer = z.infer<typeof RuntimeSchema>

/** Throws `not_found`. */
export async function getRuntime(
  parts: Pick<ControlPlaneParts, 'store' | 'replicas'>,
  principal: Principal,
  deployment_id: string,
): Promise<RuntimeAnswer> {
  const deployment = await requireDeployment(parts.store, principal, deployment_id)
  const { active_revision_id, asleep_since, wake_at, secrets } = deployment
  const replicas = active_revision_id === null ? [] : parts.replicas(active_revision_id)
  const mask = maskOf(secrets)
  return {
    revision_id: active_revision_id,
    state: stateOf(deployment, replicas),
    asleep_since,
    wake_at,
    replicas: replicas.map(({ state, since, restarts, reason, load }) => ({
      state,
      since: momentOf(since),
      restarts,
      reason: reason === null ? null : mask(reason),
      running: load?.running ?? null,
      lag_ms: load?.lag_ms ?? null,
    })),
  }
}

/** All deployments of the workspace, the oldest first. Asks no agent server. */
export async function listStates(
  { store, replicas }: Pick<ControlPlaneParts, 'store' | 'replicas'>,
  { workspace_id }: Principal,
): Promise<z.infer<typeof DeploymentStatesSchema>> {
  const all = await store.deployments.listAll()
  const own = all.filter(({ tenant_id }) => tenant_id === workspace_id)
  const ids = own.flatMap((one) => [one.active_revision_id, one.latest_revision_id])
  const glances = await store.revisions.glances([...new Set(ids.filter((id) => id !== null))])
  const byId = new Map(glances.map((one) => [one.id, one]))
  const glanceAt = (id: string | null) => (id === null ? null : (byId.get(id) ?? null))
  const resources = own.map((deployment) => {
    const { id, name, active_revision_id: active, latest_revision_id: latest } = deployment
    const state = stateOf(deployment, active === null ? [] : replicas(active))
    const revisions = { active: glanceAt(active), latest: glanceAt(latest) }
    return { deployment_id: id, name, state, ...revisions }
  })
  return { resources }
}

function stateOf(
  { active_revision_id, asleep_since }: Deployment,
  replicas: Replica[],
): RuntimeAnswer['state'] {
  if (active_revision_id === null) return 'stopped'
  if (asleep_since !== null) return 'asleep'
  const has = (state: Replica['state']) => replicas.some((one) => one.state === state)
  if (has('healthy')) return 'serving'
  if (has('restarting')) return 'restarting'
  return has('failed') ? 'failed' : 'starting'
}
