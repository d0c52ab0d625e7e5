/** Sends a timeline's spans to a tracing system: nodes within the run, models and tools within their nodes. */
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import type { OpenSpan, Span, Tracer } from '../../core/tracing.ts'

interface Open {
  span: OpenSpan
  /** The namespace of a node's task. Absent: not a node. */
  place: string | undefined
}

export class NodeSpans {
  readonly #tracer: Tracer
  readonly #run: Span
  readonly #open = new Map<string, Open>()
  /** Running nodes, by namespace. */
  readonly #nodes = new Map<string, OpenSpan>()

  constructor(tracer: Tracer, run: Span) {
    this.#tracer = tracer
    this.#run = run
  }

  /** Each span is reported at its start and its end, or only at its end. */
  onSpans(spans: readonly TimelineSpan[]): void {
    if (this.#run.traceparent === undefined) return
    for (const told of spans) {
      const open = this.#open.get(told.span_id) ?? this.#begin(told)
      if (told.ended_at !== null) this.#end(open, told)
    }
  }

  /** Ends all open spans with the attempt. */
  close(): void {
    for (const { span } of this.#open.values()) span.end()
    this.#open.clear()
    this.#nodes.clear()
  }

  #begin(told: TimelineSpan): Open {
    const { span_id, kind, name, namespace, step, started_at: startedAt } = told
    const span = this.#tracer.begin({
      name: `${kind} ${name}`,
      kind: 'internal',
      parent: this.#around(told),
      attributes: { namespace: namespace.join('|'), ...(step !== null && { step }) },
      startedAt,
    })
    const place = kind === 'node' ? namespace.join('|') : undefined
    const open = { span, place }
    this.#open.set(span_id, open)
    if (place !== undefined) this.#nodes.set(place, span)
    return open
  }

  #end({ span, place }: Open, told: TimelineSpan): void {
    const { span_id, status, error, model, input_tokens, output_tokens, ended_at } = told
    span.set({
      status,
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      ...(input_tokens !== undefined && { 'gen_ai.usage.input_tokens': input_tokens }),
      ...(output_tokens !== undefined && { 'gen_ai.usage.output_tokens': output_tokens }),
    })
    if (error) span.fail(`${error.error}: ${error.message}`)
    span.end(ended_at ?? undefined)
    this.#open.delete(span_id)
    if (place !== undefined) this.#nodes.delete(place)
  }

  /** The parent of a subgraph's node is the node that contains the subgraph, if that is known. */
  #around({ kind, namespace }: TimelineSpan): string | undefined {
    const depth = kind === 'node' ? namespace.length - 1 : namespace.length
    for (let known = depth; known > 0; known -= 1) {
      const node = this.#nodes.get(namespace.slice(0, known).join('|'))
      if (node) return node.traceparent
    }
    return this.#run.traceparent
  }
}
