/** Checks parked threads before a revision gets its first request. */
import { describeBroken } from '../../core/agent/parked-threads.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'

/**
 * Notes which parked threads the revision cannot continue. Returns why it may not be deployed, if the
 * deployment blocks such revisions. A revision that repeats another one, such as a rollback, is never blocked.
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
  if (verdict.broken === 0 || !isBlocking || revision.repeats !== null) return undefined
  return `parked threads: ${describeBroken(verdict)}`
}
