/** Spans: pieces of work that a tracing system shows, one within the other. */

/** What a span may say of its work. */
type SpanAttributes = Record<string, string | number | boolean>

export interface SpanOptions {
  name: string
  /** How it came to be: asked for from outside, taken from a line, sent to the outside. */
  kind: 'server' | 'consumer' | 'client'
  /** The span around it, as `traceparent` says it. Default: the one of the present work. */
  parent?: string | undefined
  attributes?: SpanAttributes
}

export interface Span {
  /** For those who go on elsewhere (W3C); `undefined`: nothing is traced. */
  readonly traceparent: string | undefined
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** The work failed, although it does not throw. */
  fail(message: string): void
}

export interface Tracer {
  /** Does the work in a span; what it throws is noted there and thrown. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
}

const NO_SPAN: Span = { traceparent: undefined, rename() {}, set() {}, fail() {} }

export const noTracer: Tracer = { span: (_options, work) => work(NO_SPAN) }
