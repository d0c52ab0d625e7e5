/** The rows of a run's waterfall: the queue, the attempts if they say more, and the spans. */
import type { TimelineAttempt as Attempt, TimelineSpan as Span, Timeline } from '@runyard/client'

interface Bar {
  id: string
  label: string
  depth: number
  from: number
  /** `null`: still running. */
  to: number | null
}

export type WaterfallRow =
  | (Bar & { kind: 'queue' })
  | (Bar & { kind: 'attempt'; attempt: Attempt })
  | (Bar & { kind: 'span'; span: Span })

/** The time range of the waterfall, in ms since 1970. */
export function windowOf({ due_at, ended_at, spans }: Timeline, now: number) {
  const last = Math.max(due_at + 1, ...spans.map((span) => span.ended_at ?? span.started_at))
  return { from: due_at, to: Math.max(ended_at ?? now, last) }
}

export function rowsOf(timeline: Timeline): WaterfallRow[] {
  const { attempts, spans } = timeline
  const isTold = attempts.length > 1 || attempts.some(({ outcome }) => isBroken(outcome))
  const rows: WaterfallRow[] = [queueRow(timeline)]
  for (const attempt of attempts) {
    if (isTold) rows.push(attemptRow(attempt, attempts))
    const own = spans.filter(({ token }) => token === attempt.token)
    rows.push(...spanRows(own, endOf(attempt, attempts), isTold ? 1 : 0))
  }
  return rows
}

/** Whether the attempt stopped before the run ended, so that another attempt continued it. */
export function isBroken(outcome: Attempt['outcome']): boolean {
  return outcome === 'handed_over' || outcome === 'lost'
}

function queueRow({ due_at, started_at, ended_at }: Timeline): WaterfallRow {
  const to = started_at ?? ended_at
  return { kind: 'queue', id: 'queue', label: 'Queue', depth: 0, from: due_at, to }
}

function attemptRow(attempt: Attempt, all: readonly Attempt[]): WaterfallRow {
  return {
    kind: 'attempt',
    id: `attempt-${attempt.token}`,
    label: `Attempt ${attempt.attempt}`,
    depth: 0,
    from: attempt.started_at ?? 0,
    to: endOf(attempt, all),
    attempt,
  }
}

/** The end of a lost attempt is unknown: at the latest, the next one's start. */
function endOf({ token, ended_at, outcome }: Attempt, all: readonly Attempt[]): number | null {
  if (ended_at !== null || outcome === 'running') return ended_at
  return all.find((one) => one.token > token)?.started_at ?? null
}

/** Models and tools go below their node, and nodes below the node whose graph they belong to. */
function spanRows(spans: readonly Span[], end: number | null, depth: number): WaterfallRow[] {
  const nodes = spans.filter(({ kind }) => kind === 'node')
  const parentOf = (span: Span): Span | undefined => {
    const place = span.kind === 'node' ? span.namespace.slice(0, -1) : span.namespace
    if (place.length === 0) return undefined
    const within = nodes.filter(
      (node) =>
        node !== span && isSame(node.namespace, place) && node.started_at <= span.started_at,
    )
    return within.at(-1)
  }
  const children = Map.groupBy(spans, parentOf)
  const below = (parent: Span | undefined, at: number): WaterfallRow[] =>
    (children.get(parent) ?? []).flatMap((span) => [
      {
        kind: 'span' as const,
        id: span.span_id,
        label: span.name,
        depth: at,
        from: span.started_at,
        to: span.ended_at ?? (span.status === 'left' ? end : null),
        span,
      },
      ...below(span, at + 1),
    ])
  return below(undefined, depth)
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at])
}
