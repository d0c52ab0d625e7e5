/** One side of a comparison: its state, and the facts of the run that wrote it. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Button } from '../../design/button.tsx'
import { Card, Facts, TextLink } from '../../design/page.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { countText } from '../../design/text/format.ts'
import { Id } from '../../design/text/id.tsx'
import { Duration, Elapsed, Time } from '../../design/text/time.tsx'
import { RunStatusMark } from '../../shell/run-status.tsx'
import { assistantQuery } from '../queries.ts'
import type { Side } from './search.ts'
import { messagesOf, tokensOf, tookMs } from './side-facts.ts'
import { SidePicker } from './side-picker.tsx'
import { type SideData, sideQuery } from './side-queries.ts'

export function SideCard({ side, onChoose }: { side: Side; onChoose: (side: Side) => void }) {
  const server = useAgentServer()
  const query = useQuery(sideQuery(server, side))
  const [isChoosing, setChoosing] = useState(false)
  return (
    <Card className="space-y-3">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-medium">{titleOf(side)}</h2>
        <Button size="sm" kind="quiet" onPress={() => setChoosing(!isChoosing)}>
          {isChoosing ? 'Keep this one' : 'Choose another'}
        </Button>
      </header>
      {isChoosing && (
        <SidePicker
          side={side}
          onChoose={(chosen) => {
            setChoosing(false)
            onChoose(chosen)
          }}
        />
      )}
      <QueryView query={query} what="this side">
        {(data) => <SideFacts side={side} data={data} />}
      </QueryView>
    </Card>
  )
}

function SideFacts({ side, data }: { side: Side; data: SideData }) {
  const server = useAgentServer()
  const { state, run } = data
  const assistantId = run?.assistant_id ?? String(state?.metadata?.assistant_id ?? '')
  const { data: assistant } = useQuery({
    ...assistantQuery(server, assistantId),
    enabled: assistantId !== '',
  })
  const checkpoint = state?.checkpoint?.checkpoint_id ?? undefined
  const tokens = tokensOf(messagesOf(state?.values))
  const facts: [string, ReactNode][] = [
    ['Assistant', assistant ? assistant.name : '–'],
    ['Thread', <Id key="thread" id={side.thread} />],
    [
      'Step',
      checkpoint ? (
        <TextLink
          key="step"
          to={server.pages.studio(assistantId || 'agent', { thread: side.thread, checkpoint })}
        >
          Step {String(state?.metadata?.step ?? '')}, in the Studio
        </TextLink>
      ) : (
        'It has taken none yet'
      ),
    ],
    ['Run', run ? <RunStatusMark key="run" run={run} /> : 'None: changed by hand'],
    ['Began', run ? <Time key="began" at={run.created_at} /> : '–'],
    ['Took', run ? <Took key="took" data={data} /> : '–'],
    ['Tokens', tokens === undefined ? 'Not told' : countText(tokens)],
  ]
  return <Facts facts={facts} />
}

function Took({ data }: { data: SideData }) {
  const ms = tookMs(data.run)
  if (ms !== undefined) return <Elapsed ms={ms} />
  return data.run ? <Duration from={data.run.created_at} /> : null
}

function titleOf({ checkpoint, run }: Side): string {
  if (checkpoint) return 'A checkpoint'
  return run ? 'A run' : 'A thread as it is now'
}
