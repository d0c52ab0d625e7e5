import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { atAGlance, useAgentServer } from '../../api/agent-server.tsx'
import { pagesOf } from '../../api/deployment-pages.ts'
import { sentenceOf } from '../../api/deployments.ts'
import { TextLink } from '../../design/page.tsx'
import { Mark, type Tone } from '../../design/status.tsx'
import { isFailed, useRevision } from '../deployment-state.tsx'
import { ParkedVerdicts } from '../revisions/parked-threads.tsx'

/** The revision's page lists all of them. */
const SHOWN_PARKED = 3

/** What needs attention: a failed revision, threads that wait for an answer. */
export function NeedsAttention(props: { deployment: Deployment; waiting: number }) {
  const { deployment, waiting } = props
  const pages = pagesOf(deployment.id)
  const newest = useRevision(deployment.id, deployment.latest_revision_id)
  const serving = useRevision(deployment.id, deployment.active_revision_id)
  const parked = serving?.parked_threads
  const notes = [
    newest && isFailed(newest) && (
      <Note key="failed" tone="bad">
        <TextLink
          to={pages.revision(newest.id)}
        >{`Revision #${newest.number} has failed`}</TextLink>
        {`: ${sentenceOf(newest)}`}
      </Note>
    ),
    serving && parked && parked.broken > 0 && (
      <Note key="parked" tone="wait">
        <TextLink to={pages.revision(serving.id)}>
          {`${parked.broken} ${parked.broken === 1 ? 'thread' : 'threads'} in the middle of a graph`}
        </TextLink>
        {` cannot go on with #${serving.number}:`}
        <ParkedVerdicts
          deployment_id={deployment.id}
          parked={parked}
          most={SHOWN_PARKED}
          rest={pages.revision(serving.id)}
        />
      </Note>
    ),
    waiting > 0 && (
      <Note key="waiting" tone="wait">
        <TextLink to={`${pages.threads}?status=interrupted`}>
          {`${waiting} ${waiting === 1 ? 'thread waits' : 'threads wait'} for an answer`}
        </TextLink>
      </Note>
    ),
  ].filter(Boolean)
  if (notes.length === 0) return null
  return (
    <section aria-label="Needs attention" className="mb-4">
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">{notes}</ul>
    </section>
  )
}

function Note({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2.5 px-4 py-2.5">
      <span className="mt-1.5">
        <Mark tone={tone} />
      </span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  )
}

/** The number of interrupted threads; a sleeping deployment is not asked. */
export function useWaitingThreads(isAwake: boolean) {
  const server = useAgentServer()
  return useQuery({
    queryKey: ['agents', server.key, 'threads', 'count', 'interrupted'],
    queryFn: () => atAGlance(server).client.threads.count({ status: 'interrupted' }),
    enabled: isAwake,
    refetchInterval: 15_000,
  })
}
