import { type Deployment, isOver, type Revision } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { runtimeQuery } from '../api/deployments.ts'
import { type Meaning, meaningOfRevision } from '../api/states.ts'
import { Status } from '../design/status.tsx'
import { revisionQuery } from './queries.ts'

/** The state of a deployment: whether it serves, and the state of its newest revision. */
export function DeploymentState({ deployment }: { deployment: Deployment }) {
  const { active_revision_id: active, latest_revision_id: latest } = deployment
  const serving = useRevision(deployment.id, active)
  const newest = useRevision(deployment.id, latest === active ? null : latest)
  const runtime = useQuery({ ...runtimeQuery(deployment.id), enabled: active !== null })
  const state = stateOf(deployment, serving, runtime.data?.state)
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {state && <Status tone={state.tone}>{state.word}</Status>}
      {newest && !(isOver(newest.status) && newest.status !== 'DEPLOYED' && !failed(newest)) && (
        <Status tone={meaningOfRevision(newest.status).tone}>
          {`#${newest.number} ${meaningOfRevision(newest.status).word.toLowerCase()}`}
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

type RuntimeState = 'stopped' | 'asleep' | 'starting' | 'serving' | 'restarting' | 'failed'

function stateOf(
  { status, active_revision_id, latest_revision_id }: Deployment,
  serving: Revision | undefined,
  runtime: RuntimeState | undefined,
): Meaning | undefined {
  if (status === 'AWAITING_DELETE') return { word: 'Being deleted', tone: 'wait' }
  if (active_revision_id === null) {
    return latest_revision_id === null ? { word: 'Waits for its source', tone: 'off' } : NOT_SERVING
  }
  if (!serving) return undefined
  const number = `#${serving.number}`
  switch (runtime) {
    case undefined:
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

function failed({ status }: Revision): boolean {
  return status.endsWith('_FAILED')
}
