import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { agentServer, atAGlance } from '../api/agent-server.tsx'
import { type Answering, answeringQuery } from '../api/deployments.ts'
import { Empty } from '../design/empty.tsx'
import { Page, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { useAddress } from '../shell/address.ts'
import { RunFilters } from './run-filters.tsx'
import { RunsList } from './runs-list.tsx'
import { type RunsSearch, runsSearchSchema } from './search.ts'

/** The runs of all awake deployments. */
export function AllRunsPage() {
  const [search, change] = useAddress(runsSearchSchema)
  const query = useQuery(answeringQuery())
  return (
    <Page title="Runs">
      <RunFilters search={search} onChange={change} />
      <QueryView query={query} what="the deployments">
        {(found) => <Runs found={found} search={search} />}
      </QueryView>
    </Page>
  )
}

function Runs({ found, search }: { found: Answering; search: RunsSearch }) {
  const { awake, asleep } = found
  const servers = useMemo(() => awake.map((one) => atAGlance(agentServer(one))), [awake])
  return (
    <>
      {servers.length === 0 ? (
        <Empty title="No deployment answers just now.">
          Runs of deployments that serve stand here.
        </Empty>
      ) : (
        <RunsList servers={servers} search={search} />
      )}
      {asleep.length > 0 && (
        <p className="mt-3 text-sm text-ink-soft">
          Not asked, so as not to wake or disturb them:{' '}
          {asleep.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <TextLink to={`/deployments/${id}/runs`}>{name}</TextLink>
            </span>
          ))}
        </p>
      )}
    </>
  )
}
