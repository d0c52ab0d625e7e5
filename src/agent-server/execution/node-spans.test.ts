import { expect, it } from 'vitest'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { noTracer, type SpanOptions, type Tracer } from '../../core/tracing.ts'
import { NodeSpans } from './node-spans.ts'

/** Notes what is begun and ended; the traceparent of a span is its name. */
function recording() {
  const told: string[] = []
  const begin = ({ name, parent, startedAt }: SpanOptions) => {
    told.push(`${name} in ${parent} at ${startedAt}`)
    return {
      traceparent: name,
      rename() {},
      set() {},
      fail: (message: string) => void told.push(`${name} failed: ${message}`),
      end: (at?: number) => void told.push(`${name} ended at ${at}`),
    }
  }
  const tracer: Tracer = { ...noTracer, begin }
  return { tracer, told, run: begin({ name: 'run', kind: 'consumer' }) }
}

const aSpan = (change: Partial<TimelineSpan>): TimelineSpan => ({
  ...{ span_id: 'a', kind: 'node', name: 'plan', namespace: ['plan:1'], step: 1 },
  ...{ started_at: 10, ended_at: null, status: 'running' },
  ...change,
})

it('puts models into their nodes, and nodes of subgraphs into theirs', () => {
  const { tracer, told, run } = recording()
  const spans = new NodeSpans(tracer, run)
  told.length = 0
  spans.onSpans([aSpan({})])
  const model = { span_id: 'm', kind: 'model', name: 'Claude', ended_at: 15 } as const
  spans.onSpans([aSpan({ ...model, status: 'success' })])
  const inner = { span_id: 'i', name: 'look', namespace: ['plan:1', 'look:2'], started_at: 16 }
  const error = { error: 'Error', message: 'no ink' }
  spans.onSpans([aSpan({ ...inner, ended_at: 17, status: 'error', error })])
  spans.onSpans([aSpan({ ended_at: 20, status: 'success' })])
  expect(told).toEqual([
    'node plan in run at 10',
    'model Claude in node plan at 10',
    'model Claude ended at 15',
    'node look in node plan at 16',
    'node look failed: Error: no ink',
    'node look ended at 17',
    'node plan ended at 20',
  ])
})

it('ends what is at work when the attempt is over', () => {
  const { tracer, told, run } = recording()
  const spans = new NodeSpans(tracer, run)
  spans.onSpans([aSpan({})])
  spans.close()
  expect(told.at(-1)).toBe('node plan ended at undefined')
})

it('does nothing where nothing is traced', () => {
  const { tracer, told } = recording()
  const spans = new NodeSpans(tracer, noTracer.begin({ name: 'run', kind: 'consumer' }))
  told.length = 0
  spans.onSpans([aSpan({ ended_at: 11 })])
  expect(told).toEqual([])
})
