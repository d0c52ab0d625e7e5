/** Spans: pieces of work, one within the other, for a tracing system. */

/** What a span tells about its work. */
type SpanAttributes = Record<string, string | number | boolean>

export interface SpanOptions {
  name: string
  /** `server`: asked for from outside. `consumer`: taken from a queue. `client`: sent to another server. */
  kind: 'server' | 'consumer' | 'client'
  /** The surrounding span, as its `traceparent`. Default: that of the present work. */
  parent?: string | undefined
  attributes?: SpanAttributes
}

export interface Span {
  /** Passes the trace on to another server (W3C). `undefined`: nothing is traced. */
  readonly traceparent: string | undefined
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the work as failed although it does not throw. */
  fail(message: string): void
}

export interface Tracer {
  /** Runs the work in a span. An error is noted on the span and thrown on. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
}

const NO_SPAN: Span = { traceparent: undefined, rename() {}, set() {}, fail() {} }

export const noTracer: Tracer = { span: (_options, work) => work(NO_SPAN) }
