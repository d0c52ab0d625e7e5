/** The assistants of one agent server, each with a link to its Studio. */
import type { Assistant } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { Workflow } from '../design/icon.gen.tsx'
import { Page } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { useNewVersion } from './use-new-version.ts'

export function AssistantsPage() {
  const server = useAgentServer()
  useNewVersion()
  const query = useQuery(assistantsQuery(server))
  const columns: readonly Column<Assistant>[] = [
    {
      id: 'name',
      header: 'Assistant',
      isRowHeader: true,
      isWide: true,
      cell: ({ name, description }) => (
        <>
          <span className="font-medium">{name}</span>
          {description && <span className="ml-3 text-ink-soft">{description}</span>}
        </>
      ),
    },
    { id: 'graph', header: 'Graph', cell: ({ graph_id }) => <code>{graph_id}</code>, from: 'sm' },
    {
      id: 'version',
      header: 'Version',
      align: 'right',
      cell: ({ version }) => version,
      from: 'md',
    },
    {
      id: 'id',
      header: 'Id',
      cell: ({ assistant_id }) => <Id id={assistant_id} isBare />,
      from: 'lg',
    },
    {
      id: 'updated',
      header: 'Changed',
      cell: ({ updated_at }) => <Time at={updated_at} />,
      from: 'md',
    },
    {
      id: 'open',
      header: 'Studio',
      cell: ({ assistant_id }) => (
        <ButtonLink to={server.pages.studio(assistant_id)} size="sm" icon={<Workflow size={14} />}>
          Open
        </ButtonLink>
      ),
    },
  ]
  return (
    <Page title="Studio" facts="Choose an assistant to talk to it and to look into its graph.">
      <QueryView query={query} what="the assistants">
        {(assistants) => (
          <Table
            label="Assistants"
            columns={columns}
            rows={assistants}
            keyOf={({ assistant_id }) => assistant_id}
            linkOf={({ assistant_id }) => server.pages.studio(assistant_id)}
            empty={
              <Empty title="This server has no assistants.">
                Each graph of <code>langgraph.json</code> becomes one when the server starts.
              </Empty>
            }
          />
        )}
      </QueryView>
    </Page>
  )
}
