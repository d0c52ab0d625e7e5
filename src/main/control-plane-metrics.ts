/** The figures of the control plane, on its store. */

import type { ControlPlaneMetrics } from '../core/agent/metrics.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import { createControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'

export function openControlPlaneMetrics(store: ControlPlaneStore): Promise<ControlPlaneMetrics> {
  return createControlPlaneMetrics({
    deployments: () => store.deployments.countByStatus(),
    revisions: () => store.revisions.countByStatus(),
    ping: () => store.ping(),
  })
}
