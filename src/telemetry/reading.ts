/** Reads the data for figures from a registry of prom-client. */
import type { Counter, Gauge, Histogram as PromHistogram, Registry } from 'prom-client'
import type { Counts, Histogram } from '../core/figures/histogram.ts'
import type { ProcessReading } from '../core/figures/reading.ts'
import { LAG_PRECISION_MS } from './prometheus.ts'

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

/** All of its observations, or those with these labels, in one. */
export async function histogramOf<L extends string>(
  histogram: PromHistogram<L>,
  wanted: Labels = {},
): Promise<Histogram> {
  const counts: Counts = {}
  let sum = 0
  let below = 0
  // The ranges of one set of labels follow each other, each including all below it.
  for (const { metricName, labels, value } of (await histogram.get()).values) {
    if (!hasLabels(labels as Labels, wanted)) continue
    const { le } = labels as Labels
    if (metricName?.endsWith('_sum')) sum += value
    if (le === undefined) below = 0
    else {
      if (value > below) counts[le] = (counts[le] ?? 0) + value - below
      below = le === '+Inf' ? 0 : value
    }
  }
  return { counts, sum }
}

function hasLabels(labels: object, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => (labels as Labels)[name] === value)
}
