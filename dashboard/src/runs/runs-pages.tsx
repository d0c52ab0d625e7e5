/** The lists of runs: of one agent server, and of all deployments. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type AgentServer, atAGlance, useAgentServer } from '../api/agent-server.tsx'
import { metadataPairs } from '../api/metadata-text.ts'
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
import { runsQuery } from './queries.ts'
import { RunsList } from './runs-list.tsx'
import { type RunsSearch, runsSearchSchema, STATUSES } from './search.ts'

const STATUS_CHOICES = STATUSES.map((value) => ({
  value,
  label: meaningOfRun(value, value === 'waiting').word,
}))

/** The runs of one agent server. */
export function RunsPage() {
  const server = useAgentServer()
  const [search, change] = useAddress(runsSearchSchema)
  return (
    <Page title="Runs">
      <RunFilters servers={[server]} search={search} onChange={change} assistantsOf={server} />
      <RunsList servers={[server]} search={search} />
    </Page>
  )
}

/** The runs of all awake deployments. */
export function AllRunsPage() {
  const [search, change] = useAddress(runsSearchSchema)
  return (
    <ServersPage title="Runs">
      {(all) => {
        const servers = all.map(atAGlance)
        return (
          <>
            <RunFilters servers={servers} search={search} onChange={change} />
            <RunsList servers={servers} search={search} />
          </>
        )
      }}
    </ServersPage>
  )
}

/** Suggestions come from the runs that the list has loaded. `assistantsOf`: absent on a page of several servers. */
function RunFilters(props: {
  servers: readonly AgentServer[]
  search: RunsSearch
  onChange: (change: Partial<RunsSearch>) => void
  assistantsOf?: AgentServer
}) {
  const { servers, search, onChange, assistantsOf } = props
  const { data } = useInfiniteQuery({ ...runsQuery(servers, search), enabled: false })
  const [errors, pairs] = useMemo(() => {
    const runs = data?.pages.flatMap((page) => page.runs) ?? []
    const errors = runs.flatMap(({ error }) => error?.error ?? [])
    return [errors, runs.flatMap(({ metadata }) => metadataPairs(metadata))]
  }, [data])
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
        suggestions={errors}
      />
      <JsonFilter
        label="Metadata"
        value={search.metadata}
        onChange={(metadata) => onChange({ metadata })}
        suggestions={pairs}
      />
      <ChoiceFilter
        label="Status"
        any="Any status"
        value={search.status}
        onChange={(status) => onChange({ status })}
        choices={STATUS_CHOICES}
      />
      <SpanFilter label="When" value={search.since} onChange={(since) => onChange({ since })} />
      {assistantsOf && (
        <AssistantFilter
          server={assistantsOf}
          value={search.assistant}
          onChange={(assistant) => onChange({ assistant })}
        />
      )}
    </Filters>
  )
}
