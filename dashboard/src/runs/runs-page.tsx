import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { Page } from '../design/page.tsx'
import { useAddress } from '../shell/address.ts'
import { RunFilters } from './run-filters.tsx'
import { RunsList } from './runs-list.tsx'
import { runsSearchSchema } from './search.ts'

/** The runs of one agent server. */
export function RunsPage() {
  const server = useAgentServer()
  const [search, change] = useAddress(runsSearchSchema)
  const assistants = useQuery(assistantsQuery(server)).data ?? []
  return (
    <Page title="Runs">
      <RunFilters
        search={search}
        onChange={change}
        assistants={assistants.map(({ assistant_id, name }) => ({
          value: assistant_id,
          label: name,
        }))}
      />
      <RunsList servers={[server]} search={search} />
    </Page>
  )
}
