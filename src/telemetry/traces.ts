/**
 * Traces, metrics and logs by OpenTelemetry, sent as the usual `OTEL_*` variables say. This file loads the whole SDK,
 * so it is imported only when one of them is enabled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  context,
  logs,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SeverityNumber,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { currentOrigin } from '../core/origin.ts'
import type { OtlpProtocol } from '../core/tracing.ts'
import {
  noTracer,
  type OpenSpan,
  type Span,
  type SpanOptions,
  type Tracer,
} from '../core/tracing.ts'
import { registryProducer } from './registry-producer.ts'

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

/** How long an unresponsive collector may delay the end, in ms: first for the metrics, then for the rest. */
const FLUSH_MS = 2_000
const STOP_MS = 5_000

/** What to send. */
interface Wanted {
  traces: boolean
  /** Absent: no metrics. */
  metrics?: { protocol: OtlpProtocol; intervalMs: number; timeoutMs: number }
  logs: boolean
}

interface Sending {
  tracer: Tracer
  /** Receives each line of the log; absent: logs are not sent. */
  onLine?: (line: string) => void
  /** Sends the current metrics. */
  flushMetrics(): Promise<void>
  /** Sends the rest. A second call is harmless. */
  stop(): Promise<void>
}

interface Service {
  /** `service.name` without `OTEL_SERVICE_NAME`. */
  name: string | undefined
  version: string
  /** Returns the JSON of `/metrics`. */
  readMetrics(): Promise<string>
}

/** Starts to send, once in a process. */
export async function startSending(service: Service, wanted: Wanted): Promise<Sending> {
  const { name, version } = service
  const reader = wanted.metrics && (await metricReader(service, wanted.metrics))
  const sdk = new NodeSDK({
    ...(name !== undefined && { serviceName: name }),
    ...(!wanted.traces && { spanProcessors: [] }),
    metricReaders: reader ? [reader] : [],
    ...(!wanted.logs && { logRecordProcessors: [] }),
    instrumentations: [],
  })
  sdk.start()
  // An unreachable collector must not make the end fail.
  const within = (limitMs: number, work: Promise<void> | undefined) =>
    Promise.race([work?.catch(() => {}), sleep(limitMs, undefined, { ref: false })])
  let stopped: Promise<void> | undefined
  return {
    tracer: wanted.traces ? createTracer(version) : noTracer,
    ...(wanted.logs && {
      onLine: logRecords(version, () => contextOf(currentOrigin().traceparent)),
    }),
    flushMetrics: () => within(FLUSH_MS, reader?.forceFlush()),
    stop() {
      stopped ??= within(STOP_MS, sdk.shutdown())
      return stopped
    },
  }
}

async function metricReader(
  { version, readMetrics }: Service,
  { protocol, intervalMs, timeoutMs }: NonNullable<Wanted['metrics']>,
) {
  const { OTLPMetricExporter } = await METRIC_EXPORTERS[protocol]()
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [registryProducer(readMetrics, { version, startedAt: Date.now() })],
  })
}

const METRIC_EXPORTERS = {
  grpc: () => import('@opentelemetry/exporter-metrics-otlp-grpc'),
  'http/json': () => import('@opentelemetry/exporter-metrics-otlp-http'),
  'http/protobuf': () => import('@opentelemetry/exporter-metrics-otlp-proto'),
}

/** Makes the spans the current ones of OpenTelemetry's own API, so that the project's own spans are inside them. */
function createTracer(version: string): Tracer {
  const tracer = trace.getTracer('runyard', version)
  const start = ({ name, kind, parent, attributes = {}, startedAt }: SpanOptions) => {
    const around = contextOf(parent ?? currentOrigin().traceparent)
    const since = startedAt !== undefined && { startTime: startedAt }
    return {
      around,
      span: tracer.startSpan(name, { kind: KINDS[kind], attributes, ...since }, around),
    }
  }
  return {
    span<T>(options: SpanOptions, work: (span: Span) => Promise<T>) {
      const { around, span } = start(options)
      return context.with(trace.setSpan(around, span), () => finishing(span, work))
    },
    begin: (options) => asOpenSpan(start(options).span),
  }
}

function contextOf(traceparent: string | undefined): Context {
  return traceparent === undefined
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, { traceparent })
}

async function finishing<T>(span: OtelSpan, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(asSpan(span))
  } catch (error) {
    span.recordException(error as Error)
    span.setStatus({ code: SpanStatusCode.ERROR, message: String((error as Error).message) })
    throw error
  } finally {
    span.end()
  }
}

/** Leaves a span that has ended alone: the library would complain. */
function asOpenSpan(span: OtelSpan): OpenSpan {
  return { ...asSpan(span), end: (at) => void (span.isRecording() && span.end(at)) }
}

function asSpan(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  }
}

// Lines of the log as records of OpenTelemetry.

const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
}

/** Emits each line that it is called with. `context`: the line's context; called while it is written. */
function logRecords(version: string, context: () => Context): (line: string) => void {
  const logger = logs.getLogger('runyard', version)
  return (line) => {
    const { level, time, msg, pid: _pid, mark: _mark, trace_id: _traceId, ...fields } = parse(line)
    const severityText = String(level).toUpperCase()
    logger.emit({
      timestamp: Date.parse(String(time)),
      severityNumber: SEVERITIES[String(level)] ?? SeverityNumber.UNSPECIFIED,
      severityText,
      body: String(msg),
      attributes: fields as Attributes,
      context: context(),
    })
  }
}

function parse(line: string): Record<string, unknown> {
  return JSON.parse(line)
}
