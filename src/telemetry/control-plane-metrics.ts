/** The figures of the control plane and the gateway in front of it, by prom-client. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import type {
  AnsweredRequest,
  ControlPlaneMetrics,
  MetricsFormat,
  PassedRequest,
} from '../core/agent/metrics.ts'
import { openRegistry, requestMetrics, written } from './prometheus.ts'

/** What is asked for when the figures are read: how many there are with each status. */
interface ControlPlaneFigures {
  deployments(): Promise<Record<string, number>>
  revisions(): Promise<Record<string, number>>
  /** Answers when the database does. */
  ping(): Promise<void>
}

/** Loads the library. */
export async function createControlPlaneMetrics(
  figures: ControlPlaneFigures,
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
      await figures.ping()
      latency.set((performance.now() - begun) / 1000)
      setAll(deployments, await figures.deployments())
      setAll(revisions, await figures.revisions())
      return written(registry, format)
    },
  }
}

function setAll(gauge: Gauge<'status'>, counts: Record<string, number>): void {
  gauge.reset()
  for (const [status, count] of Object.entries(counts)) gauge.set({ status }, count)
}
