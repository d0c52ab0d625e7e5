/** The metrics of the control plane and the gateway, by prom-client. */
import type { Counter, Gauge, Histogram } from 'prom-client'
import type {
  AnsweredRequest,
  ControlPlaneMetrics,
  MetricsFormat,
  PassedRequest,
} from '../core/agent/server/metrics.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import { TIME_BOUNDS } from '../core/figures/histogram.ts'
import type { ControlPlaneReading, RequestsReading } from '../core/figures/reading.ts'
import {
  countsBy,
  histogramOf,
  openRegistry,
  readProcess,
  requestMetrics,
  written,
} from './prometheus.ts'

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
  const { requestAnswered, requests, duration: answering } = requestMetrics(opened)
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
    requestAnswered: (request: AnsweredRequest) => requestAnswered(request),
    requestPassed({ deployment, status, seconds }: PassedRequest) {
      passed.inc({ deployment, status })
      duration.observe({ deployment }, seconds)
    },
    async reading() {
      return {
        ...(await readProcess(registry)),
        requests: await countsBy(requests, 'status'),
        request_durations: await histogramOf(answering),
        gateway: await readGateway(passed, duration),
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

async function readGateway(
  passed: Counter<'deployment' | 'status'>,
  duration: Histogram<'deployment'>,
): Promise<Record<string, RequestsReading>> {
  const names = Object.keys(await countsBy(passed, 'deployment'))
  const readings = names.map(async (deployment) => [
    deployment,
    {
      requests: await countsBy(passed, 'status', { deployment }),
      request_durations: await histogramOf(duration, { deployment }),
    },
  ])
  return Object.fromEntries(await Promise.all(readings))
}

function setAll(gauge: Gauge<'status'>, counts: Record<string, number>): void {
  gauge.reset()
  for (const [status, count] of Object.entries(counts)) gauge.set({ status }, count)
}
