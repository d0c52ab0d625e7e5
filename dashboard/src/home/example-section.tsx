import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type AgentServer, agentServer } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { runtimeQuery, sentenceOf } from '../api/deployments.ts'
import { meaningOfRevision } from '../api/states.ts'
import { ErrorNote } from '../design/error-note.tsx'
import { Card, Section, TextLink } from '../design/page.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Status } from '../design/status.tsx'
import { Duration } from '../design/text/time.tsx'
import { Asleep } from '../shell/asleep.tsx'
import { CallIt } from '../shell/call/call-it.tsx'
import { ChatCard } from './chat-card.tsx'
import { firstAssistantQuery, newestRevisionQuery } from './queries.ts'

/** A deployment to try at once: a chat, and how to call it from elsewhere. */
export function ExampleSection({ deployment }: { deployment: Deployment }) {
  const { id, name } = deployment
  const server = useMemo(() => agentServer({ id, name }), [id, name])
  return (
    <Section title="Talk to the example">
      {deployment.active_revision_id === null ? (
        <Rollout deployment={deployment} />
      ) : (
        <Live deployment={deployment} server={server} />
      )}
    </Section>
  )
}

function Live({ deployment, server }: { deployment: Deployment; server: AgentServer }) {
  const [isWaking, setWaking] = useState(false)
  const runtime = useQuery(runtimeQuery(deployment.id))
  const isAsleep = runtime.data?.state === 'asleep'
  const query = useQuery({
    ...firstAssistantQuery(server, isWaking),
    enabled: isWaking || (runtime.data !== undefined && !isAsleep),
  })
  const error = query.error ?? (runtime.data ? null : runtime.error)
  if (error) {
    const retry = () => void (query.error ? query : runtime).refetch()
    return <ErrorNote title="The example does not answer." error={error} retry={retry} />
  }
  const { data: assistant } = query
  const isAsked = assistant || isAsleep || isWaking
  if (!isAsked) return <Skeleton lines={8} className="h-96" />
  const url = deployment.source_config.custom_url ?? server.url
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      {assistant ? (
        <ChatCard server={server} assistantId={assistant.assistant_id} />
      ) : (
        <Asleep
          since={runtime.data?.asleep_since}
          isWaking={isWaking}
          verb="Wake it and talk"
          onWake={() => setWaking(true)}
        />
      )}
      <div className="min-w-0">
        <CallIt url={url} assistant={assistant?.graph_id ?? 'agent'} name={deployment.name} />
      </div>
    </div>
  )
}

function Rollout({ deployment }: { deployment: Deployment }) {
  const { data: revision } = useQuery(newestRevisionQuery(deployment))
  if (!revision) return <Skeleton lines={3} />
  const { word, tone } = meaningOfRevision(revision.status)
  return (
    <Card className="space-y-2">
      <p className="flex flex-wrap items-center gap-3">
        <Status tone={tone}>{word}</Status>
        {(tone === 'live' || tone === 'wait') && (
          <span className="text-ink-soft">
            for <Duration from={revision.created_at} />
          </span>
        )}
      </p>
      <p className="text-ink-soft">
        {revision.status_message
          ? sentenceOf(revision)
          : 'The example is made ready: it is installed and built as your own agents will be. You can talk to it here as soon as it serves.'}{' '}
        <TextLink to={pagesOf(deployment.id).revision(revision.id)}>See what happens</TextLink>
      </p>
    </Card>
  )
}
