/** What a revision finds out about parked threads before it gets its first request. */
import { describeBroken } from '../../core/agent/parked-threads.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'

/**
 * Notes which parked threads the revision cannot go on with. Answers why it may not be deployed,
 * where the deployment says so; the way back is never barred.
 */
export async function refuseForParkedThreads(
  deployment: Deployment,
  revision: Revision,
  { store, driver }: { store: ControlPlaneStore; driver: RuntimeDriver },
): Promise<string | undefined> {
  if (deployment.active_revision_id === null) return undefined
  const verdict = await driver.inspect(revision.id)
  if (!verdict) return undefined
  await store.revisions.setParkedThreads(revision.id, verdict)
  const isBlocking = deployment.source_config.parked_threads === 'block'
  if (verdict.broken === 0 || !isBlocking || revision.built_from !== null) return undefined
  return `parked threads: ${describeBroken(verdict)}`
}
