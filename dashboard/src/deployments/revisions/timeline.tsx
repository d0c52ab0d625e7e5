/** A deployment's revisions as a timeline, newest on top, the serving one highlighted. */
import { type Deployment, isOver, type Revision } from '@runyard/client'
import { Link } from '@tanstack/react-router'
import { pagesOf } from '../../api/deployment-pages.ts'
import { meaningOfRevision } from '../../api/states.ts'
import { classes } from '../../design/classes.ts'
import { Badge, Mark, Status } from '../../design/status.tsx'
import { Id } from '../../design/text/id.tsx'
import { Elapsed, Time } from '../../design/text/time.tsx'
import type { RevisionWithHistory } from '../queries.ts'
import { ChangeList } from './changes.tsx'
import { Failure } from './failure.tsx'
import { originText } from './origin-text.ts'
import { ParkedThreads } from './parked-threads.tsx'
import { RevisionActions } from './revision-actions.tsx'
import { RolloutProgress } from './rollout-progress.tsx'
import { sourceTextOf } from './source-text.ts'
import { tookMs } from './stages.ts'

export function Timeline(props: {
  deployment: Deployment
  revisions: readonly RevisionWithHistory[]
  serving: Pick<Revision, 'id' | 'number'> | undefined
}) {
  return (
    <ol aria-label="Revisions, the newest first">
      {props.revisions.map((revision, index) => (
        <Entry
          key={revision.id}
          deployment={props.deployment}
          revision={revision}
          serving={props.serving}
          isNewest={index === 0}
          isLast={index === props.revisions.length - 1}
        />
      ))}
    </ol>
  )
}

interface EntryProps {
  deployment: Deployment
  revision: RevisionWithHistory
  serving: Pick<Revision, 'id' | 'number'> | undefined
  isNewest: boolean
  isLast: boolean
}

function Entry(props: EntryProps) {
  const { revision, deployment, isLast } = props
  const isServing = revision.id === deployment.active_revision_id
  const { tone } = meaningOfRevision(revision.status)
  return (
    <li
      aria-label={`Revision #${revision.number}`}
      className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2 sm:gap-x-3"
    >
      <div className="flex flex-col items-center" aria-hidden="true">
        <span className="flex h-11 items-center bg-canvas">
          <Mark tone={isServing || tone !== 'good' ? tone : 'off'} />
        </span>
        {!isLast && <span className="w-px flex-1 bg-line" />}
      </div>
      <article
        className={classes(
          'mb-3 min-w-0 rounded-lg border bg-surface',
          isServing ? 'border-good' : 'border-line',
        )}
      >
        <EntryHead {...props} isServing={isServing} />
        <EntryBody {...props} />
      </article>
    </li>
  )
}

function EntryHead(props: EntryProps & { isServing: boolean }) {
  const { deployment, revision, serving, isServing } = props
  const { what, version } = sourceTextOf(revision, deployment)
  const { word, tone } = meaningOfRevision(revision.status)
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="font-semibold">
            <Link
              to={pagesOf(deployment.id).revision(revision.id)}
              className="underline-offset-2 hover:underline"
            >
              #{revision.number}
            </Link>
          </h2>
          {isServing ? (
            <Badge tone="good">Serving</Badge>
          ) : (
            <Status tone={tone === 'good' ? 'off' : tone}>
              {tone === 'good' ? 'Replaced' : word}
            </Status>
          )}
          <span className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="wrap-anywhere">{what}</span>
            {version && <Id id={version} />}
          </span>
        </div>
        <About revision={revision} />
        <OriginLine revision={revision} />
      </div>
      <RevisionActions deployment_id={deployment.id} revision={revision} serving={serving} />
    </header>
  )
}

/** The message that it was made with, or the subject and author of its commit. */
function About({ revision }: { revision: Revision }) {
  const { message, commit_subject, commit_author } = revision
  const [text] = (message ?? commit_subject ?? '').split('\n')
  if (!text) return null
  return (
    <p className="mt-0.5 wrap-anywhere">
      {text}
      {commit_author && <span className="text-ink-soft">{` · ${commit_author}`}</span>}
    </p>
  )
}

function OriginLine({ revision }: { revision: RevisionWithHistory }) {
  const { history, created_at } = revision
  const origin = history && originText(history)
  const took = history && tookMs(history.steps)
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-sm text-ink-soft">
      {origin && (
        <>
          <span>{origin}</span>
          <span aria-hidden="true">·</span>
        </>
      )}
      <Time at={created_at} />
      {took !== undefined && (
        <>
          <span aria-hidden="true">·</span>
          <span>
            took <Elapsed ms={took} />
          </span>
        </>
      )}
    </p>
  )
}

/** Failed revisions and rollouts show their details; other revisions only their changes. */
function EntryBody({ deployment, revision, serving, isNewest }: EntryProps) {
  const { history, parked_threads } = revision
  const isFailed = revision.status.endsWith('_FAILED')
  const isUnderWay = !isOver(revision.status)
  const changes = history?.changes
  if (!isFailed && !isUnderWay && !changes && !parked_threads?.parked && !revision.status_message)
    return null
  return (
    <div className="space-y-3 border-t border-line px-4 py-3">
      {isUnderWay && history && (
        <RolloutProgress
          deployment_id={deployment.id}
          revision={revision}
          history={history}
          serving={serving}
        />
      )}
      {isFailed && <FailureDetails {...{ deployment, revision, isNewest }} />}
      {!isFailed && revision.status_message && (
        <p className="text-ink-soft">{revision.status_message}</p>
      )}
      {parked_threads && <ParkedThreads deployment_id={deployment.id} parked={parked_threads} />}
      {changes && <ChangeList changes={changes} />}
    </div>
  )
}

/** Open for the newest revision; folded for earlier failures. */
function FailureDetails(props: Pick<EntryProps, 'deployment' | 'revision' | 'isNewest'>) {
  const { deployment, revision, isNewest } = props
  const failure = <Failure deployment_id={deployment.id} revision={revision} />
  if (isNewest) return failure
  const [sentence] = (revision.status_message ?? 'No reason was noted.').split('\n')
  return (
    <details className="group">
      <summary className="wrap-anywhere text-ink-soft group-open:mb-2">{sentence}</summary>
      {failure}
    </details>
  )
}
