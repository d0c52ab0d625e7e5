/** The input and output of a run, side by side: the last message in words, and all of it as JSON. */
import type { Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { stateQuery } from '../api/thread-state.ts'
import { ButtonLink } from '../design/button.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Card } from '../design/page.tsx'
import { LongText } from '../design/text/long-text.tsx'
import { isOver, runQuery } from './queries.ts'
import { lastWords } from './words.ts'

/** `isWaiting`: its question is still open. */
export function RunSides(props: { server: AgentServer; timeline: Timeline; isWaiting: boolean }) {
  const { server, timeline, isWaiting } = props
  const { thread_id, assistant_id, status } = timeline
  const kwargs = useQuery(runQuery(server, timeline)).data?.kwargs
  const last = timeline.checkpoints.findLast(({ checkpoint_ns }) => checkpoint_ns === '')
  const isDone = isOver(status)
  const { data: state } = useQuery({
    ...stateQuery(server, thread_id, last?.checkpoint_id),
    enabled: isDone && last !== undefined,
  })
  const asked = state?.tasks.flatMap(({ interrupts }) => interrupts) ?? []
  const answer = kwargs?.command?.resume
  return (
    <div className="mb-6 grid gap-4 md:grid-cols-2">
      <Side
        title={answer === undefined ? 'Input of the run' : 'Answer to the question'}
        value={answer ?? kwargs?.command ?? kwargs?.input}
        otherwise={kwargs ? 'It had no input.' : '…'}
      />
      {asked.length > 0 && status === 'success' ? (
        <Side
          title={isWaiting ? 'Waiting for an answer' : 'It asked'}
          value={asked.length === 1 ? asked[0]?.value : asked.map(({ value }) => value)}
        >
          {isWaiting && (
            <ButtonLink size="sm" to={server.pages.studio(assistant_id, { thread: thread_id })}>
              Answer in Studio
            </ButtonLink>
          )}
        </Side>
      ) : (
        <Side
          title="Output of the run"
          value={state?.values}
          otherwise={
            !isDone ? 'It has not ended.' : last ? '…' : 'It has written nothing to its thread.'
          }
        />
      )}
    </div>
  )
}

function Side(props: { title: string; value: unknown; otherwise?: string; children?: ReactNode }) {
  const { title, value, otherwise, children } = props
  const words = lastWords(value)
  return (
    <Card className="min-w-0">
      <header className="mb-1.5 flex min-h-7 items-center justify-between gap-3">
        <h2 className="text-sm text-ink-soft">{title}</h2>
        {children}
      </header>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        aria-label={title}
        className="max-h-80 overflow-auto"
      >
        {words && <LongText text={words} />}
        {value === undefined || value === null ? (
          <p className="text-ink-faint">{otherwise}</p>
        ) : (
          typeof value !== 'string' && <JsonView value={value} openDepth={words ? 0 : 3} />
        )}
      </section>
    </Card>
  )
}
