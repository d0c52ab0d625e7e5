/** The conversation, live, and the composer. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Empty } from '../../design/empty.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Spinner } from '../../design/spinner.tsx'
import { OnlyLooks, Talks } from '../../shell/talks.tsx'
import { LookBack, Pauses } from '../input/pauses.tsx'
import { historyQuery } from '../queries.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { Composer } from './composer.tsx'
import { Queue } from './queue.tsx'
import { seenStates } from './seen-states.ts'
import { TurnView } from './turn-view.tsx'
import { turnsOf } from './turns.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

export function Conversation() {
  const server = useAgentServer()
  const { threadId, messagesKey, checkpoint } = useStudio()
  const stream = useStudioStream()
  const { messages, sent, isRunning, isLoading } = stream
  const { data: history } = useQuery(historyQuery(server, threadId, messagesKey))
  const seen = useMemo(() => seenStates(history ?? [], messagesKey), [history, messagesKey])
  const turns = useMemo(() => turnsOf([...messages, ...sent]), [messages, sent])
  const isLive = isRunning && checkpoint === undefined
  const box = useStickToEnd(stream, threadId)
  const last = turns.at(-1)?.message
  return (
    <>
      <LookBack />
      <section
        {...box}
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <div className="mx-auto flex max-w-3xl flex-col gap-2 px-4 py-4">
          {isLoading && <Skeleton lines={6} />}
          {!isLoading && turns.length === 0 && !isRunning && <NothingSaid />}
          <ol className="flex flex-col gap-1" aria-live={isLive ? 'off' : 'polite'}>
            {turns.map(({ message, calls }, index) => (
              <TurnView
                key={message.id ?? index}
                message={message}
                calls={calls}
                seen={message.id ? seen.get(message.id) : undefined}
                seenResults={seen}
                isLive={isLive}
                isSpeaking={isLive && index === turns.length - 1 && message.type === 'ai'}
              />
            ))}
          </ol>
          {isLive && last?.type !== 'ai' && (
            <p className="flex items-center gap-2 text-ink-soft" role="status">
              <Spinner /> Working
            </p>
          )}
          <Pauses hasComposer />
        </div>
      </section>
      <Queue />
      <Talks otherwise={<OnlyLooks />}>
        <Composer />
      </Talks>
    </>
  )
}

function NothingSaid() {
  const { assistant } = useStudio()
  return (
    <div className="pt-6">
      <Talks otherwise={<Empty title="Nothing was said on this thread yet." />}>
        <Empty title={`Talk to ${assistant.name}`}>
          Say something below. What the graph does stands at its nodes, and each step of its state
          beside it.
        </Empty>
      </Talks>
    </div>
  )
}
