import type { Checkpoint, Client } from '@langchain/langgraph-sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { type State, threadKey } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { Actions } from '../../design/dialog.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { SelectField } from '../../design/field.tsx'
import { SchemaEditor } from '../../design/schema/editor.tsx'
import { useStudio } from '../studio-context.tsx'
import { changedValues, correction } from './state-change.ts'

/** The node that wrote last, as determined by LangGraph. */
const LAST = ''

/** Edits a state and writes it as a new branch of the checkpoint. */
export function ForkEditor(props: {
  checkpoint: Checkpoint
  before: State
  schema: object | null | undefined
  /** A sentence about the state. */
  about: string
  /** Nodes that the state can be written as; none: no choice is offered. */
  nodes: readonly string[]
  /** The text of the first button, which writes and starts no run. */
  keepText: string
  /** Called when the state is written; `run`: start a run from there. */
  onWritten: (written: Checkpoint, then: 'keep' | 'run') => Promise<void> | void
}) {
  const { checkpoint, before, nodes } = props
  const server = useAgentServer()
  const queries = useQueryClient()
  const { messagesKey } = useStudio()
  const [wanted, setWanted] = useState<State | undefined>(before)
  const [asNode, setAsNode] = useState(LAST)
  const { thread_id: threadId } = checkpoint
  const fork = useMutation({
    mutationFn: async ({ wanted, isRun }: { wanted: State; isRun: boolean }) => {
      const asked = { before, wanted, messagesKey, asNode: asNode || undefined }
      const written = await forkState({ client: server.client, threadId, checkpoint, ...asked })
      await queries.invalidateQueries({ queryKey: threadKey(server, threadId) })
      await props.onWritten(written, isRun ? 'run' : 'keep')
    },
  })
  return (
    <div className="space-y-3">
      <p className="text-ink-soft">{props.about}</p>
      <SchemaEditor
        label="State"
        schema={props.schema}
        value={before}
        onChange={setWanted}
        first="json"
        minHeight="16rem"
      />
      {nodes.length > 0 && (
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
      )}
      {fork.error && <ErrorNote error={fork.error} title="The state was not taken." />}
      <Actions>
        <Button
          onPress={() => wanted && fork.mutate({ wanted, isRun: false })}
          isPending={fork.isPending && !fork.variables.isRun}
          isDisabled={!wanted || fork.isPending}
        >
          {props.keepText}
        </Button>
        <Button
          kind="primary"
          onPress={() => wanted && fork.mutate({ wanted, isRun: true })}
          isPending={fork.isPending && fork.variables.isRun}
          isDisabled={!wanted || fork.isPending}
        >
          Fork and run on
        </Button>
      </Actions>
    </div>
  )
}

interface Fork {
  client: Client
  threadId: string
  /** The checkpoint to fork from. */
  checkpoint: Checkpoint
  before: State
  wanted: State
  messagesKey: string | undefined
  /** The node to write as; default: the one that wrote last. */
  asNode: string | undefined
}

/**
 * Returns the new checkpoint, which has the wanted state. If a reducer changes a value, a second checkpoint corrects
 * it.
 */
async function forkState(fork: Fork): Promise<Checkpoint> {
  const { before, wanted, messagesKey, checkpoint } = fork
  const written = await write(fork, checkpoint, changedValues(before, wanted, messagesKey))
  const { values } = await fork.client.threads.getState<State>(fork.threadId, written)
  const rest = correction(values, wanted, messagesKey)
  return rest ? write(fork, written, rest) : written
}

/** Without changed values it copies the checkpoint, which starts a branch as well. */
async function write(fork: Fork, checkpoint: Checkpoint, values: State): Promise<Checkpoint> {
  const { configurable } = await fork.client.threads.updateState<State | null>(fork.threadId, {
    values: Object.keys(values).length > 0 ? values : null,
    checkpoint,
    ...(fork.asNode && { asNode: fork.asNode }),
  })
  return configurable as unknown as Checkpoint
}
