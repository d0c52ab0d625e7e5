/** Chooses one side: a thread, and its current state, a run or a checkpoint. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { meaningOfRun } from '../../api/states.ts'
import { threadKey } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { type Choice, SelectField } from '../../design/field.tsx'
import { exactText, isUuid, shortId } from '../../design/text/format.ts'
import { readHistoryPage } from '../history/history-page.ts'
import { stepName } from '../history/step-name.ts'
import { runsQuery } from '../queries.ts'
import type { Side } from './search.ts'
import { ThreadField } from './thread-field.tsx'

const NOW = 'now'

/** Most checkpoints offered. The Studio's history has links to the others. */
const CHECKPOINTS = 100

/** `side`: the current choice, or the suggested one. */
export function SidePicker(props: { side: Side | undefined; onChoose: (side: Side) => void }) {
  const [text, setText] = useState(props.side?.thread ?? '')
  const thread = text.trim()
  const [at, setAt] = useState<string>(NOW)
  const choices = useChoices(thread)
  const id = at.split('/')[1]
  return (
    <div className="space-y-3">
      <ThreadField
        value={text}
        onChange={(chosen) => {
          setText(chosen)
          setAt(NOW)
        }}
      />
      <SelectField label="At" value={at} onChange={setAt} choices={choices} />
      <Button
        isDisabled={!isUuid(thread)}
        onPress={() =>
          props.onChoose({
            thread,
            ...(at.startsWith('run/') && { run: id }),
            ...(at.startsWith('checkpoint/') && { checkpoint: id }),
          })
        }
      >
        Show it here
      </Button>
    </div>
  )
}

function useChoices(thread: string): Choice[] {
  const server = useAgentServer()
  const enabled = isUuid(thread)
  const runs = useQuery({ ...runsQuery(server, thread), enabled, refetchInterval: false })
  const history = useQuery({
    queryKey: [...threadKey(server, thread), 'choices'],
    queryFn: ({ signal }) => readHistoryPage(server, thread, { limit: CHECKPOINTS }, signal),
    enabled,
  })
  const rows = history.data?.rows ?? []
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [
    { value: NOW, label: 'As it is now' },
    ...(runs.data ?? []).map(({ run_id, status, created_at }) => ({
      value: `run/${run_id}`,
      label: `Run ${shortId(run_id)} · ${meaningOfRun(status).word} · ${exactText(Date.parse(created_at))}`,
    })),
    ...rows.map((row) => ({
      value: `checkpoint/${row.id}`,
      label: `Step ${row.step} · ${stepName(row, byId.get(row.parentId ?? '')).text} · ${shortId(row.id)}`,
    })),
  ]
}
