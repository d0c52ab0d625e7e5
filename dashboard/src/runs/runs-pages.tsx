/** The lists of runs: of one agent server, and of all deployments. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type AgentServer, agentServer, atAGlance, useAgentServer } from '../api/agent-server.tsx'
import { pagesOf } from '../api/deployment-pages.ts'
import { type Answering, answeringQuery } from '../api/deployments.ts'
import { RUN_STATUSES } from '../api/runs.ts'
import { meaningOfRun } from '../api/states.ts'
import { Empty } from '../design/empty.tsx'
import { Page, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { useAddress } from '../shell/address.ts'
import {
  AssistantFilter,
  ChoiceFilter,
  Filters,
  JsonFilter,
  SearchFilter,
  SpanFilter,
} from '../shell/filters.tsx'
import { RunsList } from './runs-list.tsx'
import { type RunsSearch, runsSearchSchema } from './search.ts'

const STATUSES = RUN_STATUSES.map((value) => ({ value, label: meaningOfRun(value).word }))

/** The runs of one agent server. */
export function RunsPage() {
  const server = useAgentServer()
  const [search, change] = useAddress(runsSearchSchema)
  return (
    <Page title="Runs">
      <RunFilters search={search} onChange={change} server={server} />
      <RunsList servers={[server]} search={search} />
    </Page>
  )
}

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
              <TextLink to={pagesOf(id).runs}>{name}</TextLink>
            </span>
          ))}
        </p>
      )}
    </>
  )
}

/** `server`: if the page has only one. */
function RunFilters(props: {
  search: RunsSearch
  onChange: (change: Partial<RunsSearch>) => void
  server?: AgentServer
}) {
  const { search, onChange, server } = props
  return (
    <Filters>
      <SearchFilter
        label="Text of the error"
        value={search.error}
        onChange={(error) => onChange({ error })}
      />
      <JsonFilter
        label="Metadata"
        value={search.metadata}
        onChange={(metadata) => onChange({ metadata })}
      />
      <ChoiceFilter
        label="Status"
        any="Any status"
        value={search.status}
        onChange={(status) => onChange({ status })}
        choices={STATUSES}
      />
      <SpanFilter label="When" value={search.since} onChange={(since) => onChange({ since })} />
      {server && (
        <AssistantFilter
          server={server}
          value={search.assistant}
          onChange={(assistant) => onChange({ assistant })}
        />
      )}
    </Filters>
  )
}
