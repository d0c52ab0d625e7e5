/** Creates another assistant of a graph. */
import type { GraphSchema } from '@langchain/langgraph-sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { assistantsQuery } from '../../api/assistants.ts'
import { Button } from '../../design/button.tsx'
import { Actions } from '../../design/dialog.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { SelectField } from '../../design/field.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { toast } from '../../design/toast.tsx'
import { schemasQuery } from '../queries.ts'
import { useStudio } from '../studio-context.tsx'
import { AssistantFields, contentOf, EMPTY_DRAFT } from './assistant-fields.tsx'

export function NewAssistant() {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const [graph, setGraph] = useState(assistant.graph_id)
  const { data = [] } = useQuery(assistantsQuery(server))
  const graphs = [...new Set([graph, ...data.map(({ graph_id }) => graph_id)])].toSorted()
  const schemas = useQuery(schemasQuery(server, graph))
  return (
    <div className="space-y-4">
      <SelectField
        label="Graph"
        value={graph}
        onChange={setGraph}
        choices={graphs.map((one) => ({ value: one, label: one }))}
      />
      <QueryView query={schemas} what="what the graph can be told">
        {(known) => <Create key={graph} graph={graph} schemas={known} />}
      </QueryView>
    </div>
  )
}

function Create({ graph, schemas }: { graph: string; schemas: GraphSchema }) {
  const server = useAgentServer()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const content = contentOf(draft)
  const create = useMutation({
    mutationFn: async (wanted: NonNullable<typeof content>) => {
      const made = await server.client.assistants.create({ graphId: graph, ...wanted })
      toast(`${made.name} was created.`)
      void queries.invalidateQueries({ queryKey: [server.key, 'assistants'] })
      await navigate({ to: server.pages.studio(made.assistant_id) })
    },
  })
  return (
    <>
      <AssistantFields
        draft={draft}
        schemas={schemas}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
      />
      {create.error && <ErrorNote error={create.error} title="The assistant was not made." />}
      <Actions>
        <Button
          kind="primary"
          isPending={create.isPending}
          isDisabled={!content}
          onPress={() => content && create.mutate(content)}
        >
          Create the assistant
        </Button>
      </Actions>
    </>
  )
}
