/** Waits until the deployments from before the start serve again. */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'

/**
 * Settles when the active revision of every deployment is healthy, or has failed, or after
 * `limitMs`.
 */
export async function whenServing(
  store: Pick<ControlPlaneStore, 'deployments'>,
  driver: RuntimeDriver,
  limitMs: number,
): Promise<void> {
  const waiting = new Set<string>()
  for (const deployment of await store.deployments.listAll()) {
    const { active_revision_id, asleep_since } = deployment
    // A listener's deployments do not start with this process.
    if (sourceConfigOf(deployment).listener_id !== null) continue
    if (active_revision_id !== null && asleep_since === null) waiting.add(active_revision_id)
  }
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const look = () => {
      for (const revision_id of waiting) {
        const { kind } = driver.observe(revision_id)
        if (kind === 'healthy' || kind === 'failed') waiting.delete(revision_id)
      }
      if (waiting.size === 0) end()
    }
    const timer = setTimeout(end, limitMs)
    const unsubscribe = driver.onChange(look)
    look()
  })
}
