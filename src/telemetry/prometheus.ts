/** The common part of all metrics, by prom-client: the registry, and the figures that are read from it. */
import type { Counter, Gauge, Histogram as PromHistogram, Registry } from 'prom-client'
import type { MetricsFormat, RequestMetrics } from '../core/agent/server/metrics.ts'
import type { Counts } from '../core/figures/histogram.ts'
import type { ProcessReading } from '../core/figures/reading.ts'

/** In s. Requests are fast, or something is wrong. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
/** How often the lag of the event loop is measured, in ms. More often would keep an idle server busy. */
const LAG_PRECISION_MS = 500

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
  return { requestAnswered, requests }
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

type Labels = Partial<Record<string, string | number>>

/** The default metrics of the process. This begins a new measurement of its event loop. */
export async function readProcess(registry: Registry): Promise<ProcessReading> {
  const defaultOf = async (name: string) => {
    const metric = registry.getSingleMetric(name)
    const [first] = metric ? (await metric.get()).values : []
    return first?.value ?? 0
  }
  // Collecting these two sets the other metrics of the event loop and of the processors.
  await defaultOf('nodejs_eventloop_lag_seconds')
  await defaultOf('process_cpu_user_seconds_total')
  const lag = await defaultOf('nodejs_eventloop_lag_p99_seconds')
  return {
    started_at: await defaultOf('process_start_time_seconds'),
    cpu_seconds: await defaultOf('process_cpu_seconds_total'),
    memory_bytes: await defaultOf('process_resident_memory_bytes'),
    // Node includes the time between two measurements.
    event_loop_delay_seconds: Math.max(lag - LAG_PRECISION_MS / 1000, 0),
  }
}

/** The value of a gauge without labels, or with these. */
export async function gaugeOf(gauge: Gauge, labels: Labels = {}): Promise<number> {
  const { values } = await gauge.get()
  return values.find((one) => hasLabels(one.labels, labels))?.value ?? 0
}

/** The count for each value of the label, among those with the other `labels`. */
export async function countsBy<L extends string>(
  counter: Counter<L>,
  label: L,
  labels: Labels = {},
): Promise<Counts> {
  const counts: Counts = {}
  for (const one of (await counter.get()).values) {
    if (!hasLabels(one.labels, labels)) continue
    const name = String((one.labels as Labels)[label])
    counts[name] = (counts[name] ?? 0) + one.value
  }
  return counts
}

/** The number of observations for each value of the label. */
export async function observationsBy<L extends string>(
  histogram: PromHistogram<L>,
  label: L,
): Promise<Counts> {
  const counts: Counts = {}
  for (const { metricName, labels, value } of (await histogram.get()).values) {
    const name = (labels as Labels)[label]
    if (metricName?.endsWith('_count') && name !== undefined) counts[String(name)] = value
  }
  return counts
}

function hasLabels(labels: object, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => (labels as Labels)[name] === value)
}
