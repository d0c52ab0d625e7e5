/** One thread as the Studio shows it, for the thread's page: the conversation or form, and the state at each step. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAgentServer } from '../api/agent-server.tsx'
import { statusOf } from '../api/query-client.ts'
import { ErrorNote } from '../design/error-note.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { HistoryPanel } from './history/history-panel.tsx'
import { assistantQuery, schemasQuery, standInQuery } from './queries.ts'
import { StudioProvider } from './studio-provider.tsx'
import { TalkPanel } from './talk-panel.tsx'

/** `assistantId`: the assistant that ran last. Another one of its graph stands in where a project hides it. */
export function ThreadStudio(props: {
  threadId: string
  assistantId: string
  /** Shown if there is no such assistant. */
  otherwise: ReactNode
}) {
  const { threadId, assistantId, otherwise } = props
  const server = useAgentServer()
  const own = useQuery(assistantQuery(server, assistantId))
  const isHidden = own.error !== null && statusOf(own.error) === 404
  const standIn = useQuery(standInQuery(server, isHidden ? threadId : undefined))
  const assistant = own.data ?? standIn.data
  const schemas = useQuery({
    ...schemasQuery(server, assistant?.assistant_id ?? ''),
    enabled: assistant !== undefined && assistant !== null,
  })
  if (assistant && schemas.data) {
    return (
      <StudioProvider assistant={assistant} schemas={schemas.data} threadId={threadId}>
        <div className="grid gap-4 lg:grid-cols-[3fr_2fr]">
          <Column label="Conversation">
            <TalkPanel />
          </Column>
          <Column label="State">
            <HistoryPanel />
          </Column>
        </div>
      </StudioProvider>
    )
  }
  const error = schemas.error ?? standIn.error ?? (isHidden && standIn.data === null && own.error)
  if (!error && (!own.error || isHidden)) return <Skeleton lines={8} />
  return (
    <>
      <ErrorNote error={error || own.error} title="The conversation cannot be shown." />
      {otherwise}
    </>
  )
}

function Column({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      className="flex h-[70dvh] min-h-100 min-w-0 flex-col overflow-hidden rounded-lg border border-line"
    >
      {children}
    </section>
  )
}
