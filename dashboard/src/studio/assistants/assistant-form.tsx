/** Edits an assistant, which makes a new version, or deletes it. */
import type { Assistant, GraphSchema } from '@langchain/langgraph-sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { assistantsQuery } from '../../api/assistants.ts'
import { Button } from '../../design/button.tsx'
import { Actions } from '../../design/dialog.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Checkbox } from '../../design/field.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { toast } from '../../design/toast.tsx'
import { Talks } from '../../shell/talks.tsx'
import { assistantQuery } from '../queries.ts'
import { AssistantFields, contentOf, draftOf } from './assistant-fields.tsx'

export function AssistantForm(props: {
  assistant: Assistant
  schemas: GraphSchema
  /** The assistant is deleted; resolves once its page is left. */
  onDelete: () => Promise<void>
}) {
  const { assistant, schemas } = props
  const server = useAgentServer()
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(assistant))
  const content = contentOf(draft)
  const isChanged = JSON.stringify(content) !== JSON.stringify(contentOf(draftOf(assistant)))

  const save = useMutation({
    mutationFn: async (wanted: NonNullable<typeof content>) => {
      const after = await server.client.assistants.update(assistant.assistant_id, {
        ...wanted,
        graphId: assistant.graph_id,
      })
      toast(`Version ${after.version} of ${after.name} is in force.`)
      await queries.invalidateQueries({ queryKey: [server.key, 'assistants'] })
    },
  })
  return (
    <>
      <AssistantFields
        draft={draft}
        schemas={schemas}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
      />
      {save.error && (
        <div className="mt-4">
          <ErrorNote error={save.error} title="The assistant was not changed." />
        </div>
      )}
      <Talks>
        <Actions>
          {!isOfGraph(assistant) && <Delete assistant={assistant} onDelete={props.onDelete} />}
          <Button
            kind="primary"
            isPending={save.isPending}
            isDisabled={!content || !isChanged}
            onPress={() => content && save.mutate(content)}
          >
            Save as a new version
          </Button>
        </Actions>
      </Talks>
    </>
  )
}

/** Each graph has its own assistant, which cannot be deleted. */
function isOfGraph({ metadata }: Assistant): boolean {
  return metadata?.created_by === 'system'
}

function Delete(props: { assistant: Assistant; onDelete: () => Promise<void> }) {
  const { assistant, onDelete } = props
  const server = useAgentServer()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [deleteThreads, setDeleteThreads] = useState(false)
  return (
    <>
      <Button kind="danger" onPress={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title={`Delete ${assistant.name}`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb="Delete the assistant"
        name={assistant.name}
        onConfirm={async () => {
          await server.client.assistants.delete(assistant.assistant_id, { deleteThreads })
          await onDelete()
          // Prevents another request for the deleted assistant.
          queries.removeQueries({
            queryKey: assistantQuery(server, assistant.assistant_id).queryKey,
          })
          void queries.invalidateQueries({ ...assistantsQuery(server), exact: true })
          toast(`${assistant.name} is deleted.`)
        }}
      >
        <p>Its versions go with it, and runs of it that go on are stopped.</p>
        <Checkbox isSelected={deleteThreads} onChange={setDeleteThreads}>
          Delete its threads as well
        </Checkbox>
      </ConfirmDialog>
    </>
  )
}
