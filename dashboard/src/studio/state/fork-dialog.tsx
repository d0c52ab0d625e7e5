/** The editor of a state: what is written goes on from the checkpoint as a branch of its own. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { type State, stateQuery, threadKey } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { Actions, Dialog } from '../../design/dialog.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { SelectField } from '../../design/field.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { SchemaEditor } from '../../design/schema/editor.tsx'
import type { HistoryRow } from '../history/history-page.ts'
import { useHistorySearch } from '../history/search.ts'
import { graphQuery } from '../queries.ts'
import { useStudio } from '../studio-context.tsx'
import { forkState } from './fork.ts'

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

/** The one that wrote last, as LangGraph finds it. */
const LAST = ''

function Editor({ threadId, row, before }: { threadId: string; row: HistoryRow; before: State }) {
  const server = useAgentServer()
  const queries = useQueryClient()
  const { schemas, messagesKey, submit } = useStudio()
  const { change } = useHistorySearch()
  const [wanted, setWanted] = useState<State | undefined>(before)
  const [asNode, setAsNode] = useState(LAST)
  const [pending, setPending] = useState<'keep' | 'run'>()
  const [error, setError] = useState<unknown>()
  const nodes = useNodes()

  const fork = async (then: 'keep' | 'run') => {
    if (!wanted) return
    setPending(then)
    setError(undefined)
    try {
      const checkpoint = {
        thread_id: threadId,
        checkpoint_ns: '',
        checkpoint_id: row.id,
        checkpoint_map: null,
      }
      const { client } = server
      const asked = { before, wanted, messagesKey, asNode: asNode || undefined }
      const written = await forkState({ client, threadId, checkpoint, ...asked })
      await queries.invalidateQueries({ queryKey: threadKey(server, threadId) })
      change({ fork: undefined, checkpoint: then === 'run' ? undefined : written, branch: written })
      if (then === 'run') await submit({ input: null }, { checkpoint: written })
    } catch (reason) {
      setError(reason)
    } finally {
      setPending(undefined)
    }
  }
  return (
    <div className="space-y-3">
      <p className="text-ink-soft">
        The state as it was at this step. What you write becomes a branch; what followed the step
        before stays as it is.
      </p>
      <SchemaEditor
        label="State"
        schema={schemas.state_schema}
        value={before}
        onChange={setWanted}
        first="json"
        minHeight="16rem"
      />
      <SelectField
        label="Written as node"
        value={asNode}
        onChange={setAsNode}
        choices={[
          { value: LAST, label: 'The one that wrote last' },
          ...nodes.map((node) => ({ value: node, label: node })),
        ]}
        help="The run goes on with what comes after it."
      />
      {error !== undefined && <ErrorNote error={error} title="The state was not taken." />}
      <Actions>
        <Button
          onPress={() => void fork('keep')}
          isPending={pending === 'keep'}
          isDisabled={!wanted || pending !== undefined}
        >
          Fork only
        </Button>
        <Button
          kind="primary"
          onPress={() => void fork('run')}
          isPending={pending === 'run'}
          isDisabled={!wanted || pending !== undefined}
        >
          Fork and run on
        </Button>
      </Actions>
    </div>
  )
}

/** Those of the graph itself; a subgraph's cannot be written as. */
function useNodes(): string[] {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const { data } = useQuery(graphQuery(server, assistant.assistant_id))
  const ids = (data?.nodes ?? []).map(({ id }) => String(id))
  const own = ids.map((id) => id.split(/[:|]/)[0] ?? id)
  return [...new Set(own)].filter((id) => id !== '__start__' && id !== '__end__')
}
