import type { Deployment } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentQuery, runtimeQuery } from '../api/deployments.ts'
import { useMay } from '../api/session.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Card, Page, Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton, useShown } from '../design/skeleton.tsx'
import { failedRuns } from '../operations/figures.ts'
import { CallIt } from '../shell/call/call-it.tsx'
import { useDeploymentId } from './address.ts'
import { useRevision } from './deployment-state.tsx'
import { FailedRuns, useFailedRuns } from './overview/failed-runs.tsx'
import { assistantsQuery, Graphs } from './overview/graphs.tsx'
import { LastHour, useLastHour } from './overview/last-hour.tsx'
import { NeedsAttention, useWaitingThreads } from './overview/needs-attention.tsx'
import { RecentRevisions } from './overview/recent-revisions.tsx'
import { ServingCard } from './overview/serving-card.tsx'

/** The current state of a deployment: what serves, how to call it, and what needs attention. */
export function OverviewPage() {
  const id = useDeploymentId()
  const query = useQuery(deploymentQuery(id))
  return (
    <QueryView query={query} what="the deployment">
      {(deployment) => (
        <Page title={deployment.display_name ?? deployment.name}>
          <Overview deployment={deployment} />
        </Page>
      )}
    </QueryView>
  )
}

function Overview({ deployment }: { deployment: Deployment }) {
  const runtime = useQuery(runtimeQuery(deployment.id))
  const serving = useRevision(deployment.id, deployment.active_revision_id)
  const lastHour = useLastHour(deployment.id)
  const isAwake = runtime.data?.state === 'serving'
  const total = lastHour.data?.total
  const failedCount = total ? failedRuns(total) : 0
  const failed = useFailedRuns(isAwake && failedCount > 0)
  const waiting = useWaitingThreads(isAwake)
  const newest = useRevision(deployment.id, deployment.latest_revision_id)
  const isLoading = [runtime, lastHour, failed, waiting].some((query) => query.isLoading)
  const isShown = useShown(
    isLoading || !newest || (deployment.active_revision_id !== null && !serving),
  )
  const mayWrite = useMay('write')
  if (deployment.latest_revision_id === null) {
    return (
      <Empty
        title="It waits for its source."
        action={
          mayWrite && (
            <ButtonLink kind="primary" to={`/deployments/new?name=${deployment.name}`}>
              Send its source
            </ButtonLink>
          )
        }
      >
        The deployment is created, and nothing was uploaded for it yet.
      </Empty>
    )
  }
  if (!isShown)
    return (
      <>
        <LastHour query={lastHour} />
        <Skeleton lines={6} />
      </>
    )
  return (
    <>
      <LastHour query={lastHour} />
      <FailedRuns query={failed} count={failedCount} />
      <NeedsAttention deployment={deployment} waiting={waiting.data ?? 0} />
      <div className="mb-8 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        {serving ? (
          <ServingCard deployment={deployment} revision={serving} runtime={runtime.data} />
        ) : (
          <Card>
            <p className="font-medium">Nothing serves yet.</p>
            <p className="text-ink-soft">
              It does as soon as a revision is deployed.{' '}
              <TextLink to={pagesOf(deployment.id).revisions}>See how they are</TextLink>
            </p>
          </Card>
        )}
        <HowToCall deployment={deployment} isAwake={isAwake} />
      </div>
      {serving && (
        <Section title="Graphs">
          <Graphs isAwake={isAwake} state={runtime.data?.state} />
        </Section>
      )}
      <Section
        title="Latest revisions"
        actions={<TextLink to={pagesOf(deployment.id).revisions}>All of them</TextLink>}
      >
        <RecentRevisions deployment={deployment} />
      </Section>
    </>
  )
}

function HowToCall({ deployment, isAwake }: { deployment: Deployment; isAwake: boolean }) {
  const server = useAgentServer()
  const assistants = useQuery(assistantsQuery(server, isAwake)).data
  return (
    <Card>
      <h2 className="mb-2 text-lg font-semibold">Call it</h2>
      <CallIt
        url={deployment.source_config.custom_url ?? server.url}
        assistant={assistants?.[0]?.graph_id ?? 'agent'}
        name={deployment.name}
      />
    </Card>
  )
}
