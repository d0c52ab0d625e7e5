/** The Studio of one assistant: its graph, a conversation or a form, and the state at each step. */
import type { Assistant, GraphSchema } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { useAgentServer } from '../api/agent-server.tsx'
import { statusOf } from '../api/query-client.ts'
import { useTitle } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Columns } from './columns.tsx'
import { GraphPanel } from './graph/graph-panel.tsx'
import { HistoryPanel } from './history/history-panel.tsx'
import { assistantQuery, schemasQuery, standInQuery } from './queries.ts'
import { useStudioSearch } from './search.ts'
import { StudioHead } from './studio-head.tsx'
import { StudioProvider } from './studio-provider.tsx'
import { TalkPanel } from './talk-panel.tsx'
import { useNewVersion } from './use-new-version.ts'

export function StudioPage() {
  const { assistant: id } = useParams({ strict: false }) as { assistant: string }
  const server = useAgentServer()
  useNewVersion()
  const assistant = useQuery(assistantQuery(server, id))
  const schemas = useQuery(schemasQuery(server, id))
  const { thread, checkpoint } = useStudioSearch().search
  const isHidden = assistant.error !== null && statusOf(assistant.error) === 404
  const standIn = useQuery(standInQuery(server, isHidden ? thread : undefined))
  if (standIn.isLoading) return <Loading />
  // A project may let users find an assistant that it does not let them read.
  if (standIn.data && standIn.data.assistant_id !== id) {
    const at = { ...(thread && { thread }), ...(checkpoint && { checkpoint }) }
    return <Navigate to={server.pages.studio(standIn.data.assistant_id, at)} replace />
  }
  return (
    <QueryView query={assistant} what="the assistant" skeleton={<Loading />}>
      {(found) => (
        <QueryView query={schemas} what="what its graph takes and gives" skeleton={<Loading />}>
          {(known) => <Page assistant={found} schemas={known} />}
        </QueryView>
      )}
    </QueryView>
  )
}

/** The page has no padding: its columns reach the window's edges. */
function Loading() {
  return (
    <div className="px-4 py-5 sm:px-6">
      <h1 className="sr-only">Studio</h1>
      <Skeleton lines={5} />
    </div>
  )
}

function Page({ assistant, schemas }: { assistant: Assistant; schemas: GraphSchema }) {
  useTitle(`${assistant.name} · Studio`)
  return (
    <StudioProvider assistant={assistant} schemas={schemas}>
      <StudioHead />
      <Columns parts={{ graph: <GraphPanel />, talk: <TalkPanel />, state: <HistoryPanel /> }} />
    </StudioProvider>
  )
}
