/** The editor of a state: the edited state continues from the checkpoint as a new branch. */
import type { Checkpoint } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { type State, stateQuery } from '../../api/thread-state.ts'
import { Dialog } from '../../design/dialog.tsx'
import { QueryView } from '../../design/query-view.tsx'
import type { HistoryRow } from '../history/history-page.ts'
import { useHistorySearch } from '../history/search.ts'
import { graphQuery } from '../queries.ts'
import { useStudio } from '../studio-context.tsx'
import { ForkEditor } from './fork-editor.tsx'

export function ForkDialog(props: { threadId: string; row: HistoryRow; onClose: () => void }) {
  const { threadId, row, onClose } = props
  const server = useAgentServer()
  const query = useQuery(stateQuery(server, threadId, row.id))
  return (
    <Dialog title={`Fork from step ${row.step}`} isOpen onClose={onClose} size="wide">
      <QueryView query={query} what="the state">
        {({ values }) => <Editor threadId={threadId} row={row} before={values ?? {}} />}
      </QueryView>
    </Dialog>
  )
}

function Editor({ threadId, row, before }: { threadId: string; row: HistoryRow; before: State }) {
  const { schemas, submit } = useStudio()
  const { change } = useHistorySearch()
  const nodes = useNodes()
  const checkpoint = { checkpoint_ns: '', checkpoint_id: row.id, checkpoint_map: null }
  const goOn = async ({ checkpoint_id }: Checkpoint, then: 'keep' | 'run') => {
    const written = checkpoint_id ?? undefined
    change({ fork: undefined, checkpoint: then === 'run' ? undefined : written, branch: written })
    if (then === 'run') await submit({ input: null }, { checkpoint: checkpoint_id ?? null })
  }
  return (
    <ForkEditor
      checkpoint={{ thread_id: threadId, ...checkpoint }}
      before={before}
      schema={schemas.state_schema}
      about="The state as it was at this step. What you write becomes a branch; what followed the step before stays as it is."
      nodes={nodes}
      keepText="Fork only"
      onWritten={goOn}
    />
  )
}

/** The graph's own nodes; a state cannot be written as a subgraph's node. */
function useNodes(): string[] {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const { data } = useQuery(graphQuery(server, assistant.assistant_id))
  const ids = (data?.nodes ?? []).map(({ id }) => String(id))
  const own = ids.map((id) => id.split(/[:|]/)[0] ?? id)
  return [...new Set(own)].filter((id) => id !== '__start__' && id !== '__end__')
}
