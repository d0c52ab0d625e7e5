import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { deploymentNameQuery, revisionNumberQuery } from '../../api/deployments.ts'
import { isUuid, shortId } from '../../design/text/format.ts'
import type { Crumb } from './crumbs.ts'

/** Loaded separately: it imports the SDK, which most pages do not need. */
const AssistantName = lazy(async () => ({
  default: (await import('./assistant-name.tsx')).AssistantName,
}))

/** The name of a step; until it is known, a short form of the id. */
export function CrumbName({ crumb: { name } }: { crumb: Crumb }) {
  if (name.kind === 'words') return name.words
  if (name.kind === 'deployment') return <DeploymentName id={name.id} />
  if (name.kind === 'revision') return <RevisionName {...name} />
  if (name.kind === 'assistant' && isUuid(name.id)) {
    return (
      <Suspense fallback={shortId(name.id)}>
        <AssistantName {...name} />
      </Suspense>
    )
  }
  return name.kind === 'id' ? <code title={name.id}>{shortId(name.id)}</code> : name.id
}

function DeploymentName({ id }: { id: string }) {
  const { data } = useQuery(deploymentNameQuery(id))
  return data?.display_name ?? data?.name ?? shortId(id)
}

function RevisionName({ id, deployment }: { id: string; deployment: string }) {
  const { data } = useQuery(revisionNumberQuery(deployment, id))
  return data === undefined ? shortId(id) : `Revision #${data}`
}
