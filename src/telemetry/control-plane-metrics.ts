/** The metrics of the control plane and the gateway, by prom-client. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import type {
  AnsweredRequest,
  ControlPlaneMetrics,
  MetricsFormat,
  PassedRequest,
} from '../core/agent/metrics.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import { openRegistry, requestMetrics, written } from './prometheus.ts'

/** Loads the library. Reads from the store whenever the metrics are read. */
export async function createControlPlaneMetrics(
  store: Pick<ControlPlaneStore, 'deployments' | 'revisions' | 'ping'>,
): Promise<ControlPlaneMetrics> {
  const opened = await openRegistry()
  const { registry, gauge, counter, histogram } = opened
  const { requestAnswered } = requestMetrics(opened)
  const labels: ('deployment' | 'status')[] = ['deployment', 'status']
  const passed: Counter<'deployment' | 'status'> = counter(
    'gateway_requests_total',
    'Requests to agent servers',
    labels,
  )
  const duration: Histogram<'deployment'> = histogram(
    'gateway_request_duration_seconds',
    'From a request to the end of its answer',
    ['deployment'],
  )
  const deployments = gauge('deployments', 'Deployments', ['status'])
  const revisions = gauge('revisions', 'Revisions; those on their way are rollouts', ['status'])
  const latency = gauge('database_latency_seconds', 'How long the database took to answer')
  return {
    requestAnswered: (request: AnsweredRequest) => requestAnswered(request),
    requestPassed({ deployment, status, seconds }: PassedRequest) {
      passed.inc({ deployment, status })
      duration.observe({ deployment }, seconds)
    },
    async read(format: MetricsFormat) {
      const begun = performance.now()
      await store.ping()
      latency.set((performance.now() - begun) / 1000)
      setAll(deployments, await store.deployments.countByStatus())
      setAll(revisions, await store.revisions.countByStatus())
      return written(registry, format)
    },
  }
}

function setAll(gauge: Gauge<'status'>, counts: Record<string, number>): void {
  gauge.reset()
  for (const [status, count] of Object.entries(counts)) gauge.set({ status }, count)
}
