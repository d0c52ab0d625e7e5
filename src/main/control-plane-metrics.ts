/** The figures of the control plane, on its store. */
import type { ControlPlaneStore } from '../core/control-plane-store.ts'
import type { ControlPlaneMetrics } from '../core/metrics.ts'
import { createControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'

export function openControlPlaneMetrics(store: ControlPlaneStore): Promise<ControlPlaneMetrics> {
  return createControlPlaneMetrics({
    deployments: () => store.deployments.countByStatus(),
    revisions: () => store.revisions.countByStatus(),
    ping: () => store.ping(),
  })
}
