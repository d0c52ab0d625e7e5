import { useQuery } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { revisionNumberQuery } from '../api/deployments.ts'
import { TextLink } from '../design/page.tsx'
import { shortId } from '../design/text/format.ts'

/** The revision that executed a run, as `#3`; an agent server by itself has none. */
export function RevisionLink({ server, id }: { server: AgentServer; id: string | null }) {
  const { deploymentId = '' } = server
  const isNumbered = id !== null && deploymentId !== ''
  const { data } = useQuery({
    ...revisionNumberQuery(deploymentId, id ?? ''),
    enabled: isNumbered,
  })
  if (id === null) return '–'
  if (!isNumbered) return <code title={id}>{shortId(id)}</code>
  const to = pagesOf(deploymentId).revision(id)
  return <TextLink to={to}>{data === undefined ? shortId(id) : `#${data}`}</TextLink>
}
