/** The input and output of a run, or its question, side by side. */
import type { Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { isActive } from '../api/run-state.ts'
import { stateQuery } from '../api/thread-state.ts'
import { ButtonLink } from '../design/button.tsx'
import { Card } from '../design/page.tsx'
import { boundsOf, runQuery } from './queries.ts'
import { Side } from './side.tsx'

/** `isWaiting`: its question is still open. */
export function RunSides(props: { server: AgentServer; timeline: Timeline; isWaiting: boolean }) {
  const { server, timeline, isWaiting } = props
  const { thread_id, assistant_id, status } = timeline
  const kwargs = useQuery(runQuery(server, timeline)).data?.kwargs
  const { last, isCut } = boundsOf(timeline)
  const isDone = !isActive(timeline)
  const { data: state } = useQuery({
    ...stateQuery(server, thread_id, last?.checkpoint_id),
    enabled: isDone && last !== undefined,
  })
  const asked = state?.tasks.flatMap(({ interrupts }) => interrupts) ?? []
  const answer = kwargs?.command?.resume
  return (
    <Card className="mb-4 grid gap-4 md:grid-cols-2">
      <Side
        title={answer === undefined ? 'Input of the run' : 'Answer to the question'}
        value={answer ?? kwargs?.command ?? kwargs?.input}
        isSaid
        otherwise={kwargs ? 'It had no input.' : '…'}
      />
      {asked.length > 0 && status === 'success' ? (
        <Side
          title={isWaiting ? 'Waiting for an answer' : 'It asked'}
          value={asked.length === 1 ? asked[0]?.value : asked.map(({ value }) => value)}
        >
          {isWaiting && (
            <ButtonLink size="sm" to={server.pages.studio(assistant_id, { thread: thread_id })}>
              Answer in Studio
            </ButtonLink>
          )}
        </Side>
      ) : (
        <Side
          title="Output of the run"
          value={state?.values}
          isSaid
          otherwise={
            !isDone
              ? 'It has not ended.'
              : isCut
                ? CUT
                : last
                  ? '…'
                  : 'It has written nothing to its thread.'
          }
        />
      )}
    </Card>
  )
}

const CUT = 'It has too many checkpoints to find its last one. The thread has the current state.'
