/** The lists of runs: of one agent server, and of all deployments. */
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { type AgentServer, atAGlance, useAgentServer } from '../api/agent-server.tsx'
import { metadataPairs } from '../api/metadata-text.ts'
import { RUN_STATUSES } from '../api/runs.ts'
import { meaningOfRun } from '../api/states.ts'
import { Page } from '../design/page.tsx'
import { useAddress } from '../shell/address.ts'
import {
  AssistantFilter,
  ChoiceFilter,
  Filters,
  JsonFilter,
  SearchFilter,
  SpanFilter,
  TextFilter,
} from '../shell/filters.tsx'
import { ServersPage } from '../shell/servers-page.tsx'
import type { RunsPage as FoundPage } from './merged-runs.ts'
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
  return (
    <ServersPage title="Runs">
      {(servers) => (
        <>
          <RunFilters search={search} onChange={change} />
          <RunsList servers={servers.map(atAGlance)} search={search} />
        </>
      )}
    </ServersPage>
  )
}

/** `server`: if the page has only one. */
function RunFilters(props: {
  search: RunsSearch
  onChange: (change: Partial<RunsSearch>) => void
  server?: AgentServer
}) {
  const { search, onChange, server } = props
  // Suggestions come from the loaded runs: it renders again when others are loaded.
  useIsFetching({ queryKey: ['runs'] })
  const loaded = useQueryClient().getQueriesData<{ pages: FoundPage[] }>({ queryKey: ['runs'] })
  const runs = loaded.flatMap(([, data]) => data?.pages.flatMap((page) => page.runs) ?? [])
  return (
    <Filters>
      <SearchFilter
        label="Words in a run, or its id"
        value={search.text}
        onChange={(text) => onChange({ text })}
      />
      <TextFilter
        label="Error"
        value={search.error}
        onChange={(error) => onChange({ error })}
        suggestions={runs.flatMap(({ error }) => error?.error ?? [])}
      />
      <JsonFilter
        label="Metadata"
        value={search.metadata}
        onChange={(metadata) => onChange({ metadata })}
        suggestions={runs.flatMap(({ metadata }) => metadataPairs(metadata))}
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
