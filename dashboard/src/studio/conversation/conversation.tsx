/** The conversation, live, and the composer. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { Empty } from '../../design/empty.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Spinner } from '../../design/spinner.tsx'
import { OnlyLooks, Talks } from '../../shell/talks.tsx'
import { useSteps } from '../history/use-history.ts'
import { LookBack, Pauses } from '../input/pauses.tsx'
import { HISTORY_LIMIT } from '../queries.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { Composer } from './composer.tsx'
import { Queue } from './queue.tsx'
import { seenStates } from './seen-states.ts'
import { TurnView } from './turn-view.tsx'
import { type Turn, turnsOf } from './turns.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

export function Conversation() {
  const { threadId, checkpoint } = useStudio()
  const stream = useStudioStream()
  const { messages, sent, isRunning, isLoading } = stream
  const turns = useMemo(() => turnsOf([...messages, ...sent]), [messages, sent])
  const [shown, showMore] = useDrawnTurns(threadId)
  const from = Math.max(0, turns.length - shown)
  const drawn = turns.slice(from)
  const seen = useSeen(drawn, isRunning)
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
            {from > 0 && <Earlier key={from} count={from} show={showMore} />}
            {drawn.map(({ message, calls }, index) => (
              <TurnView
                key={message.id ?? from + index}
                message={message}
                calls={calls}
                seen={message.id ? seen.get(message.id) : undefined}
                seenResults={seen}
                isLive={isLive}
                isSpeaking={isLive && index === drawn.length - 1 && message.type === 'ai'}
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

/** Turns that are drawn at first, and added for each look back: a long conversation takes long to draw. */
const MOST = 20

/** How many of the last turns are drawn, and a function to draw more; a new thread begins anew. */
function useDrawnTurns(threadId: string | undefined) {
  const [shown, setShown] = useState({ threadId, turns: MOST })
  const turns = shown.threadId === threadId ? shown.turns : MOST
  const showMore = () => setShown({ threadId, turns: turns + MOST })
  return [turns, showMore] as const
}

/** Stands for the earlier turns; they are drawn when it comes into view. */
function Earlier({ count, show }: { count: number; show: () => void }) {
  const ref = useRef<HTMLButtonElement>(null)
  const latest = useRef(show)
  latest.current = show
  useEffect(() => {
    if (!ref.current) return
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) latest.current()
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return (
    <li>
      <button ref={ref} type="button" className="text-sm text-accent" onClick={show}>
        {count} earlier messages
      </button>
    </li>
  )
}

/**
 * Where the turns came from. Older steps are read until it is known for each of them, but not before those of an ended
 * run are there.
 */
function useSeen(turns: readonly Turn[], isRunning: boolean) {
  const { threadId, messagesKey } = useStudio()
  const { query, loadOlder, older } = useSteps(threadId, messagesKey)
  const steps = query.data
  const seen = useMemo(() => seenStates(steps?.rows ?? [], messagesKey), [steps, messagesKey])
  const isMissing =
    steps?.hasMore === true &&
    steps.rows.length < HISTORY_LIMIT &&
    older.error === undefined &&
    !isRunning &&
    !query.isFetching &&
    turns.some(({ message }) => message.id && !seen.has(message.id))
  useEffect(() => {
    if (isMissing && !older.isLoading) void loadOlder()
  }, [isMissing, older, loadOlder])
  return seen
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
