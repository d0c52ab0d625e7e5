/** Spans: pieces of work, one within the other, for a tracing system. */

/** The attributes of a span. */
type SpanAttributes = Record<string, string | number | boolean>

export interface SpanOptions {
  name: string
  /**
   * `server`: requested from outside. `consumer`: taken from a queue. `client`: sent to another server. `internal`: a
   * part of the work around it.
   */
  kind: 'server' | 'consumer' | 'client' | 'internal'
  /** The surrounding span, as its `traceparent`. Default: that of the present work. */
  parent?: string | undefined
  attributes?: SpanAttributes
  /** When the work began, in ms since 1970. Default: now. */
  startedAt?: number
}

export interface Span {
  /** Passes the trace on to another server (W3C). `undefined`: nothing is traced. */
  readonly traceparent: string | undefined
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the work as failed without an error. */
  fail(message: string): void
}

export interface OpenSpan extends Span {
  /** The work was over at this time, in ms since 1970; default: now. A second call does nothing. */
  end(at?: number): void
}

export interface Tracer {
  /** Runs the work in a span. An error is recorded on the span and rethrown. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** Begins a span for work outside of one function. The caller ends it. */
  begin(options: SpanOptions): OpenSpan
}

const NO_SPAN: OpenSpan = { traceparent: undefined, rename() {}, set() {}, fail() {}, end() {} }

/** The protocols of OpenTelemetry's exporters. */
export const OTLP_PROTOCOLS = ['grpc', 'http/json', 'http/protobuf'] as const
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number]

export const noTracer: Tracer = {
  span: (_options, work) => work(NO_SPAN),
  begin: () => NO_SPAN,
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The sent `traceparent`, if it is valid. */
export function validTraceparent(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && TRACEPARENT.test(sent) ? sent : undefined
}
