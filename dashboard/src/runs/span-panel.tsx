/** One bar of the waterfall: its facts, with input and output side by side. */
import type { TimelineAttempt as Attempt, TimelineSpan as Span, Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { stateQuery } from '../api/thread-state.ts'
import { ButtonLink, IconButton } from '../design/button.tsx'
import { X } from '../design/icon.gen.tsx'
import { Card, Facts } from '../design/page.tsx'
import { durationText } from '../design/text/format.ts'
import { Elapsed } from '../design/text/time.tsx'
import { ErrorFrames } from './error-frames.tsx'
import { spanQuery } from './queries.ts'
import { RevisionLink } from './revision-link.tsx'
import { Side } from './side.tsx'
import type { WaterfallRow } from './waterfall-rows.ts'
import { attemptWords, tokensWords } from './words.ts'

export function RowPanel(props: {
  server: AgentServer
  timeline: Timeline
  row: WaterfallRow
  onClose: () => void
}) {
  const { row, server, timeline } = props
  return (
    <Card className="mt-3">
      <section aria-label={row.label}>
        <header className="mb-3 flex items-center justify-between gap-3">
          <h3 className="min-w-0 truncate font-mono text-base font-semibold">{row.label}</h3>
          <IconButton label="Close" icon={<X size={16} />} onPress={props.onClose} />
        </header>
        {row.kind === 'queue' && (
          <p className="text-ink-soft">
            Waited {row.to === null ? 'until now' : durationText(row.to - row.from)} for a free
            place, or for the runs before it on its thread.
          </p>
        )}
        {row.kind === 'attempt' && <AttemptFacts server={server} row={row} />}
        {row.kind === 'span' && <SpanView server={server} timeline={timeline} span={row.span} />}
      </section>
    </Card>
  )
}

function AttemptFacts({
  server,
  row,
}: {
  server: AgentServer
  row: WaterfallRow & { kind: 'attempt' }
}) {
  const { attempt } = row
  return (
    <Facts
      facts={[
        ['Outcome', attemptWords(attempt)],
        ['Server', serverText(attempt)],
        ['Revision', <RevisionLink key="r" server={server} id={attempt.revision_id} />],
        ...(attempt.left_out > 0 ? [['Left out', `${attempt.left_out} bars`] as const] : []),
      ]}
    />
  )
}

function serverText({ server_id, pid }: Attempt): ReactNode {
  if (!server_id) return 'Unknown'
  return (
    <>
      <code>{server_id.slice(0, 8)}</code>
      {pid !== null && ` (process ${pid})`}
    </>
  )
}

interface SpanProps {
  server: AgentServer
  timeline: Timeline
  span: Span
}

function SpanView({ server, timeline, span }: SpanProps) {
  const { ended_at, started_at, first_token_at } = span
  const full = useQuery(spanQuery(server, timeline, span)).data ?? span
  const before = checkpointBefore(timeline, span)
  const facts: (readonly [string, ReactNode])[] = [
    ...(ended_at !== null
      ? [['Took', <Elapsed key="t" ms={ended_at - started_at} />] as const]
      : []),
    ...(span.model ? [['Model', <code key="m">{span.model}</code>] as const] : []),
    ...(first_token_at !== undefined
      ? [['First token', <Elapsed key="f" ms={first_token_at - started_at} />] as const]
      : []),
    ...(tokensWords(span) ? [['Tokens', tokensWords(span)] as const] : []),
    ...(span.step !== null ? [['Step', span.step] as const] : []),
    ...(span.tool_call_id ? [['Call', <code key="c">{span.tool_call_id}</code>] as const] : []),
  ]
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <Facts facts={facts} />
        {before && (
          <ButtonLink
            size="sm"
            to={server.pages.studio(timeline.assistant_id, {
              thread: timeline.thread_id,
              checkpoint: before.checkpoint_id,
            })}
          >
            Open in Studio at this step
          </ButtonLink>
        )}
      </div>
      {full.error && <ErrorFrames error={full.error} />}
      {full.interrupts && (
        <div className="mb-4">
          <Side title="It asks" value={parsed(full.interrupts)} />
        </div>
      )}
      {span.kind === 'node' ? (
        <NodeSides server={server} timeline={timeline} span={span} />
      ) : (
        <div className="grid gap-4 md:grid-cols-2">
          <Side title="Input" value={parsed(full.input)} />
          <Side title="Output" value={parsed(full.output)} />
        </div>
      )}
    </>
  )
}

/** A node's input and output come from the checkpoints. */
function NodeSides({ server, timeline, span }: SpanProps) {
  const { thread_id } = timeline
  const before = checkpointBefore(timeline, span)
  const query = useQuery({
    ...stateQuery(server, thread_id, before),
    enabled: before !== undefined,
  })
  if (!before) {
    return (
      <p className="text-ink-soft">
        What it read and wrote is not kept: there is no checkpoint before it.
      </p>
    )
  }
  const task = query.data?.tasks.find(({ id }) => id === taskOf(span)) as
    | { result?: unknown }
    | undefined
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Side title="State before" value={query.data?.values} />
      <Side title="Written" value={task?.result ?? undefined} />
    </div>
  )
}

/** The checkpoint of the node's graph at which it was called. */
function checkpointBefore({ checkpoints }: Timeline, { kind, namespace, step }: Span) {
  if (kind !== 'node' || step === null) return undefined
  const place = namespace.slice(0, -1).join('|')
  return checkpoints.find((one) => one.checkpoint_ns === place && one.step === step - 1)
}

function taskOf({ namespace }: Span): string | undefined {
  return namespace.at(-1)?.split(':').at(-1)
}

/** A truncated text is shown as text. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
