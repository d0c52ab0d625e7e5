/** The metrics of the control plane and the gateway, by prom-client. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import type {
  AnsweredRequest,
  ControlPlaneMetrics,
  MetricsFormat,
  PassedRequest,
} from '../core/agent/server/metrics.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import {
  addCounts,
  type Counts,
  type Durations,
  recordDurations,
  TIME_BOUNDS,
} from '../core/figures/histogram.ts'
import type { ControlPlaneReading } from '../core/figures/reading.ts'
import { countsBy, openRegistry, readProcess, requestMetrics, written } from './prometheus.ts'

/** Also returns the data for figures, from the same metrics. */
interface ReadControlPlaneMetrics extends ControlPlaneMetrics {
  reading(): Promise<ControlPlaneReading>
}

/** Loads the library. Reads from the store whenever the metrics are read. */
export async function createControlPlaneMetrics(
  store: Pick<ControlPlaneStore, 'deployments' | 'revisions' | 'ping'>,
): Promise<ReadControlPlaneMetrics> {
  const opened = await openRegistry()
  const { registry, gauge, counter, histogram } = opened
  const { requestAnswered, requests } = requestMetrics(opened)
  const answering = recordDurations()
  /** For figures, by deployment. */
  const asked = new Map<string, { requests: Counts; durations: Durations }>()
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
    // A stream lasts as long as its run.
    [...TIME_BOUNDS],
  )
  const deployments = gauge('deployments', 'Deployments', ['status'])
  const revisions = gauge('revisions', 'Revisions; those on their way are rollouts', ['status'])
  const latency = gauge('database_latency_seconds', 'How long the database took to answer')
  return {
    requestAnswered(request: AnsweredRequest) {
      requestAnswered(request)
      answering.add(request.seconds)
    },
    requestPassed({ deployment, status, seconds, isGlance }: PassedRequest) {
      passed.inc({ deployment, status })
      duration.observe({ deployment }, seconds)
      if (isGlance) return
      const known = asked.get(deployment)
      const { requests, durations } = known ?? { requests: {}, durations: recordDurations() }
      addCounts(requests, { [status]: 1 })
      durations.add(seconds)
      if (!known) asked.set(deployment, { requests, durations })
    },
    async reading() {
      return {
        ...(await readProcess(registry)),
        requests: await countsBy(requests, 'status'),
        request_durations: answering.read(),
        gateway: Object.fromEntries(
          [...asked].map(([deployment, { requests, durations }]) => [
            deployment,
            { requests: { ...requests }, request_durations: durations.read() },
          ]),
        ),
      }
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
