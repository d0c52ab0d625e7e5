/** The common part of all metrics, by prom-client. */
import type { Registry } from 'prom-client'
import type { MetricsFormat, RequestMetrics } from '../core/agent/server/metrics.ts'

/** In s. Requests are fast, or something is wrong. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
/** How often the lag of the event loop is measured, in ms. More often would keep an idle server busy. */
export const LAG_PRECISION_MS = 500

/** Makes a registry with the metrics of the process. This loads the library, which takes long. */
export async function openRegistry() {
  const prom = (await import('prom-client')).default
  const registry = new prom.Registry()
  prom.collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: LAG_PRECISION_MS,
  })
  const registers = [registry]
  return {
    registry,
    histogram: <L extends string>(
      name: string,
      help: string,
      labelNames: L[] = [],
      buckets = REQUEST_BUCKETS,
    ) => new prom.Histogram<L>({ name: `runyard_${name}`, help, labelNames, buckets, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new prom.Gauge<L>({ name: `runyard_${name}`, help, labelNames, registers }),
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new prom.Counter<L>({ name: `runyard_${name}`, help, labelNames, registers }),
  }
}

type OpenRegistry = Awaited<ReturnType<typeof openRegistry>>

/** The metrics of an app's requests. */
export function requestMetrics({ counter, histogram }: OpenRegistry) {
  const labels = ['method', 'route', 'status'] as const
  const requests = counter('http_requests_total', 'Requests that were answered', [...labels])
  const duration = histogram(
    'http_request_duration_seconds',
    'From a request to the head of its answer',
    ['method', 'route'],
  )
  const requestAnswered: RequestMetrics['requestAnswered'] = (request) => {
    const { method, route, status, seconds } = request
    requests.inc({ method, route, status })
    duration.observe({ method, route }, seconds)
  }
  return { requestAnswered, requests, duration }
}

/** The whole registry as text. */
export async function written(
  registry: Registry,
  format: MetricsFormat,
): Promise<{ contentType: string; body: string }> {
  if (format === 'prometheus') {
    return { contentType: registry.contentType, body: await registry.metrics() }
  }
  const all = await registry.getMetricsAsJSON()
  const byName = all.map(({ name, help, type, values }) => [name, { help, type, values }])
  return { contentType: 'application/json', body: JSON.stringify(Object.fromEntries(byName)) }
}
