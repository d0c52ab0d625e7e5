/** The metrics of `/metrics`, read for OpenTelemetry whenever it exports. */
import { ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
  type ScopeMetrics,
} from '@opentelemetry/sdk-metrics'

/** A metric of prom-client as in `/metrics?format=json`. */
interface Metric {
  help: string
  type: string
  values: Value[]
}

interface Value {
  value: number
  labels: Record<string, string | number>
  /** For a histogram: its name with `_bucket`, `_sum` or `_count`. */
  metricName?: string
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>

/**
 * `read`: returns the JSON of `/metrics`, by name. Counters and histograms count from `startedAt` on, in ms since 1970.
 */
export function registryProducer(
  read: () => Promise<string>,
  { version, startedAt }: { version: string; startedAt: number },
): MetricProducer {
  const produce = async (): Promise<ScopeMetrics[]> => {
    const all = Object.entries(JSON.parse(await read()) as Record<string, Metric>)
    const times = { startTime: toHrTime(startedAt), endTime: toHrTime(Date.now()) }
    const metrics = all.flatMap(([name, metric]) => toMetricData(name, metric, times))
    return metrics.length > 0 ? [{ scope: { name: 'runyard', version }, metrics }] : []
  }
  return {
    async collect() {
      const [scopeMetrics, errors] = await produce().then(
        (found) => [found, []] as const,
        (error: unknown) => [[], [error]] as const,
      )
      // The SDK sets the resource of the export.
      return { resourceMetrics: { scopeMetrics } as never, errors: [...errors] }
    },
  }
}

function toMetricData(name: string, { help, type, values }: Metric, times: Times): MetricData[] {
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const points = () => values.map(({ value, labels }) => ({ ...times, attributes: labels, value }))
  if (type === 'gauge') {
    return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }]
  }
  if (type === 'counter') {
    const dataPoints = points()
    return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
  }
  if (type !== 'histogram') return []
  const dataPoints = toHistograms(values, times)
  return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
}

/** One for each set of labels. A range of Prometheus counts all values below, one of OpenTelemetry only those in it. */
function toHistograms(values: Value[], times: Times) {
  const sets = Object.groupBy(values, ({ labels: { le: _le, ...rest } }) => JSON.stringify(rest))
  return Object.entries(sets).map(([attributes, of = []]) => {
    const ranges = of.filter(({ labels }) => labels.le !== undefined)
    const counts = ranges.map(({ value }, index) => value - (ranges[index - 1]?.value ?? 0))
    const boundaries = ranges.map(({ labels }) => Number(labels.le)).filter(Number.isFinite)
    const ending = (end: string) => of.find((one) => one.metricName?.endsWith(end))?.value ?? 0
    const value = { buckets: { boundaries, counts }, sum: ending('_sum'), count: ending('_count') }
    return { ...times, attributes: JSON.parse(attributes), value }
  })
}

function toHrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6]
}
