import { type Deployment, isOver, type Revision } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { type DeploymentAtAGlance, deploymentStatesQuery } from '../api/deployments.ts'
import { type Meaning, meaningOfRevision } from '../api/states.ts'
import { Status } from '../design/status.tsx'
import { revisionQuery } from './queries.ts'

/** The state of a deployment: whether it serves, and the state of its newest revision. One request is for all. */
export function DeploymentState({ deployment }: { deployment: Deployment }) {
  const glance = useQuery(deploymentStatesQuery()).data?.get(deployment.id)
  if (!glance) return null
  const { active, latest } = glance
  const { word, tone } = meaningOf(deployment, glance)
  const isShown = latest && latest.id !== active?.id && (isFailed(latest) || !isOver(latest.status))
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Status tone={tone}>{word}</Status>
      {isShown && (
        <Status tone={meaningOfRevision(latest.status).tone}>
          {`#${latest.number} ${meaningOfRevision(latest.status).word.toLowerCase()}`}
        </Status>
      )}
    </span>
  )
}

/** A revision of the deployment, if the id exists. */
export function useRevision(deployment_id: string, revision_id: string | null) {
  const query = revisionQuery(deployment_id, revision_id ?? '')
  return useQuery({ ...query, enabled: revision_id !== null }).data
}

function meaningOf(
  { status }: Deployment,
  { state, active, latest }: DeploymentAtAGlance,
): Meaning {
  if (status === 'AWAITING_DELETE') return { word: 'Being deleted', tone: 'wait' }
  if (!active) return latest ? NOT_SERVING : { word: 'Waits for its source', tone: 'off' }
  const number = `#${active.number}`
  switch (state) {
    case 'serving':
      return { word: `Serving ${number}`, tone: 'good' }
    case 'asleep':
      return { word: `Asleep, wakes as ${number}`, tone: 'off' }
    case 'starting':
      return { word: `Starting ${number}`, tone: 'live' }
    case 'restarting':
      return { word: `Restarting ${number}`, tone: 'wait' }
    case 'failed':
      return { word: `${number} has failed`, tone: 'bad' }
    case 'stopped':
      return { word: 'Stopped', tone: 'off' }
  }
}

const NOT_SERVING: Meaning = { word: 'Not serving yet', tone: 'off' }

export function isFailed({ status }: Pick<Revision, 'status'>): boolean {
  return status.endsWith('_FAILED')
}
