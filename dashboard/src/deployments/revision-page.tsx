import { type Deployment, isOver, type Revision } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { z } from 'zod'
import { pagesOf } from '../api/deployment-pages.ts'
import { deploymentQuery } from '../api/deployments.ts'
import { meaningOfRevision } from '../api/states.ts'
import { Card, Facts, Page, Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Badge } from '../design/status.tsx'
import { Id } from '../design/text/id.tsx'
import { Elapsed, Time } from '../design/text/time.tsx'
import { useAddress } from '../shell/address.ts'
import { useDeploymentId } from './address.ts'
import { useRevision } from './deployment-state.tsx'
import { RevisionLog } from './logs/revision-log.tsx'
import { comparisonQuery, historyQuery, revisionQuery } from './queries.ts'
import { ChangeList } from './revisions/changes.tsx'
import { FailureReason } from './revisions/failure.tsx'
import { originText } from './revisions/origin-text.ts'
import { ParkedThreads } from './revisions/parked-threads.tsx'
import { RevisionActions } from './revisions/revision-actions.tsx'
import { RolloutBar } from './revisions/rollout-bar.tsx'
import { CurrentStep } from './revisions/rollout-progress.tsx'
import { SourceChanges } from './revisions/source-changes.tsx'
import { sourceTextOf } from './revisions/source-text.ts'
import { stagesOf, tookMs } from './revisions/stages.ts'

const Search = z.object({
  log: z.enum(['build', 'deploy']).optional().catch(undefined),
  line: z.string().optional().catch(undefined),
})

/** One revision: the course of its rollout, its changes, and its whole logs. */
export function RevisionPage() {
  const id = useDeploymentId()
  const { revision: revision_id } = useParams({ strict: false }) as { revision: string }
  const deployment = useQuery(deploymentQuery(id))
  const revision = useQuery(revisionQuery(id, revision_id))
  return (
    <QueryView query={deployment} what="the deployment">
      {(found) => (
        <QueryView query={revision} what="the revision">
          {(one) => <RevisionView key={one.id} deployment={found} revision={one} />}
        </QueryView>
      )}
    </QueryView>
  )
}

function RevisionView({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const [{ log, line }, change] = useAddress(Search)
  const serving = useRevision(deployment.id, deployment.active_revision_id)
  const history = useHistory(deployment, revision)
  const { data: compared } = useQuery(comparisonQuery(deployment.id, revision))
  const changes = history?.changes ?? compared?.changes
  const isServing = revision.id === deployment.active_revision_id
  const { word, tone } = meaningOfRevision(revision.status)
  const wasStarted = history?.steps.some(({ status }) => status === 'DEPLOYING')
  return (
    <Page
      title={`Revision #${revision.number}`}
      badge={<Badge tone={isServing ? 'good' : tone}>{isServing ? 'Serving' : word}</Badge>}
      facts={
        <>
          <TextLink to={pagesOf(deployment.id).revisions}>All revisions</TextLink>
          {history && <span>{originText(history)}</span>}
          <Time at={revision.created_at} />
          {serving && !isServing && !isOver(revision.status) && (
            <span>{`#${serving.number} goes on serving`}</span>
          )}
        </>
      }
      actions={
        <RevisionActions deployment_id={deployment.id} revision={revision} serving={serving} />
      }
    >
      {history && history.steps.length > 0 && (
        <Card className="mb-4">
          <RolloutBar stages={stagesOf(history.steps)} />
          {!isOver(revision.status) && (
            <div className="mt-2.5 text-sm">
              <CurrentStep deployment_id={deployment.id} revision={revision} history={history} />
            </div>
          )}
        </Card>
      )}
      {revision.status.endsWith('_FAILED') && (
        <div className="mb-4">
          <FailureReason revision={revision} />
        </div>
      )}
      <div className="mb-6 grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Card>
          <RevisionFacts deployment={deployment} revision={revision} history={history} />
        </Card>
        {(changes || revision.parked_threads) && (
          <Card className="space-y-3">
            {changes && (
              <>
                <h2 className="font-semibold">{`What changed since #${changes.since}`}</h2>
                <ChangeList changes={changes} isSourceSame={compared?.source?.state === 'same'} />
              </>
            )}
            {revision.parked_threads && (
              <ParkedThreads deployment_id={deployment.id} parked={revision.parked_threads} />
            )}
          </Card>
        )}
      </div>
      {compared?.source && compared.changes && (
        <Section title={`Source changes since #${compared.changes.since}`}>
          <SourceChanges source={compared.source} />
        </Section>
      )}
      <Section title="Logs">
        <RevisionLog
          place={{ deployment_id: deployment.id, revision_id: revision.id }}
          kind={log ?? (revision.status === 'DEPLOY_FAILED' ? 'deploy' : 'build')}
          onKind={(kind) => change({ log: kind, line: undefined }, { replace: true })}
          line={line}
          onLine={(id) => change({ log, line: id }, { replace: true })}
          isBuildOver={isOver(revision.status) || wasStarted === true}
        />
      </Section>
    </Page>
  )
}

/** Offsets count from the newest revision's number. */
function useHistory(deployment: Deployment, revision: Revision) {
  const latest = useRevision(deployment.id, deployment.latest_revision_id)
  const query = historyQuery(deployment.id, revision, latest?.number ?? revision.number)
  return useQuery({ ...query, enabled: latest !== undefined }).data ?? undefined
}

function RevisionFacts(props: {
  deployment: Deployment
  revision: Revision
  history: Parameters<typeof originText>[0] | undefined
}) {
  const { deployment, revision, history } = props
  const { what, version } = sourceTextOf(revision, deployment)
  const took = history && tookMs(history.steps)
  const { langgraph_config_path } = revision.source_revision_config
  return (
    <Facts
      facts={[
        [
          'Source',
          <span key="source" className="flex flex-wrap items-center gap-x-2">
            {what}
            {version && <Id id={version} />}
          </span>,
        ],
        ...(langgraph_config_path
          ? [['Configuration', <code key="config">{langgraph_config_path}</code>] as const]
          : []),
        ...(revision.message ? [['Message', revision.message] as const] : []),
        ...(revision.commit_subject
          ? [['Commit', `${revision.commit_subject} (${revision.commit_author})`] as const]
          : []),
        ['Revision id', <Id key="revision" id={revision.id} />],
        ...(took === undefined
          ? []
          : [['Rollout took', <Elapsed key="took" ms={took} />] as const]),
        [
          'Began to serve',
          revision.deployed_at ? <Time key="at" at={revision.deployed_at} /> : 'Never',
        ],
      ]}
    />
  )
}
