import type { TimelineSpan as Span, Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { ErrorFrames } from './error-frames.tsx'
import { spanQuery } from './queries.ts'

interface ErrorProps {
  server: AgentServer
  timeline: Timeline
  error: { error: string; message: string }
}

/** Why the run failed: the stack is that of the innermost failed span. */
export function RunErrorView({ server, timeline, error }: ErrorProps) {
  const failed = failedOf(timeline.spans, error)
  if (!failed) return <ErrorFrames error={error} />
  return <FailedSpan server={server} timeline={timeline} span={failed} error={error} />
}

function FailedSpan({ server, timeline, span, error }: ErrorProps & { span: Span }) {
  const full = useQuery(spanQuery(server, timeline, span)).data
  const stack = full?.error?.stack
  return (
    <ErrorFrames
      title={`In ${span.kind} ${span.namespace.map((part) => part.split(':')[0]).join(' › ')}${span.kind === 'node' ? '' : ` › ${span.name}`}`}
      error={{ ...error, ...(stack && { stack }) }}
    />
  )
}

function failedOf(spans: readonly Span[], { message }: { message: string }): Span | undefined {
  const failed = spans.filter((span) => span.status === 'error' && span.error)
  return failed.findLast((span) => span.error?.message === message) ?? failed.at(-1)
}
