/**
 * Traces by OpenTelemetry, sent as the usual `OTEL_*` variables say. This file loads the whole SDK, so it
 * is imported only when traces are wanted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  context,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { currentOrigin } from '../core/origin.ts'
import type { OpenSpan, Span, SpanOptions, Tracer } from '../core/tracing.ts'

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

/** How long a collector that does not answer may delay the end, in ms. */
const STOP_MS = 10_000

interface Tracing extends Tracer {
  /** Sends the spans that are left. A second call is harmless. */
  stop(): Promise<void>
}

/**
 * Starts to trace, once in a process. The spans are set as current ones of OpenTelemetry's own API, so
 * that the project's own spans lie within them. `service.name` applies when there is no
 * `OTEL_SERVICE_NAME`.
 */
export function startTracing(service: { name: string | undefined; version: string }): Tracing {
  const sdk = new NodeSDK({
    ...(service.name !== undefined && { serviceName: service.name }),
    // Metrics and logs are sent in other ways.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  })
  sdk.start()
  const tracer = trace.getTracer('runyard', service.version)
  let stopped: Promise<void> | undefined
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
    stop() {
      stopped ??= Promise.race([sdk.shutdown(), sleep(STOP_MS, undefined, { ref: false })])
      return stopped
    },
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

/** One that is ended already is left as it is: the library would complain. */
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
