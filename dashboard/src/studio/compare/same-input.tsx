/** Runs an assistant on the input of the other side's run, on a new thread. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { assistantsQuery } from '../../api/assistants.ts'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { SelectField } from '../../design/field.tsx'
import { Play } from '../../design/icon.gen.tsx'
import { inputOf } from '../queries.ts'
import type { Side } from './search.ts'
import { sideQuery } from './side-queries.ts'

/** Renders nothing if the other side's run had no input. */
export function SameInput({ side, onRun }: { side: Side; onRun: (side: Side) => void }) {
  const server = useAgentServer()
  const { data } = useQuery(sideQuery(server, side))
  const { data: assistants = [] } = useQuery(assistantsQuery(server))
  const [chosen, setChosen] = useState<string>()
  const input = inputOf(data?.run)
  const assistant = chosen ?? data?.run?.assistant_id ?? ''
  const run = useMutation({
    mutationFn: async () => {
      const { thread_id } = await server.client.threads.create()
      const { run_id } = await server.client.runs.create(thread_id, assistant, { input })
      onRun({ thread: thread_id, run: run_id })
    },
  })
  if (!input) return null
  return (
    <div className="space-y-3 border-t border-line pt-4">
      <h2 className="font-medium">Or run the same input</h2>
      <SelectField
        label="With the assistant"
        value={assistant}
        onChange={setChosen}
        choices={assistants.map(({ assistant_id, name, graph_id, version }) => ({
          value: assistant_id,
          label: name === graph_id ? name : `${name} (${graph_id}), v${version}`,
        }))}
        help="On a new thread, so that nothing that was said before is known to it."
      />
      {run.error && <ErrorNote error={run.error} title="The run was not taken." />}
      <Button icon={<Play size={14} />} isPending={run.isPending} onPress={() => run.mutate()}>
        Run it
      </Button>
    </div>
  )
}
