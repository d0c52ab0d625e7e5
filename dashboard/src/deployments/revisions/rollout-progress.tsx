import type { Revision, RevisionHistoryEntry } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { meaningOfRevision } from '../../api/states.ts'
import { Status } from '../../design/status.tsx'
import { Duration } from '../../design/text/time.tsx'
import { buildStepQuery } from '../logs/queries.ts'
import { RolloutBar } from './rollout-bar.tsx'
import { stagesOf } from './stages.ts'

/** A rollout in progress: its stages, its current step, and what serves meanwhile. */
export function RolloutProgress(props: {
  deployment_id: string
  revision: Revision
  history: RevisionHistoryEntry
  serving: Pick<Revision, 'id' | 'number'> | undefined
}) {
  const { revision, history, serving } = props
  return (
    <div className="space-y-2.5">
      <RolloutBar stages={stagesOf(history.steps)} />
      <p className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
        <CurrentStep {...props} />
        {serving && serving.id !== revision.id && (
          <Status tone="good">{`#${serving.number} goes on serving`}</Status>
        )}
      </p>
    </div>
  )
}

/** `Building · npm ci · 12 s` */
export function CurrentStep(props: {
  deployment_id: string
  revision: Revision
  history: RevisionHistoryEntry
}) {
  const { deployment_id, revision, history } = props
  const isBuilding = revision.status === 'BUILDING'
  const query = buildStepQuery(deployment_id, revision.id)
  const { data: command } = useQuery({ ...query, enabled: isBuilding })
  const began = history.steps.at(-1)?.began_at
  const since = (isBuilding && command?.since) || began
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5" aria-live="polite">
      <span>{meaningOfRevision(revision.status).word}</span>
      {isBuilding && command && (
        <>
          <span aria-hidden="true">·</span>
          <code className="wrap-anywhere">{command.text}</code>
        </>
      )}
      {since && (
        <span className="text-ink-soft" aria-live="off">
          {'· '}
          <Duration from={since} />
        </span>
      )}
    </span>
  )
}
