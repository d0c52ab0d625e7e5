/** An interrupt of the graph, with the answers that its shape allows. */
import type { Interrupt } from '@langchain/langgraph-sdk'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../design/button.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Badge } from '../../design/status.tsx'
import { Talks } from '../../shell/talks.tsx'
import { ActionsCard } from './actions-card.tsx'
import { ConsentCard } from './consent-card.tsx'
import { isWriting } from './focus.ts'
import { shapeOfInterrupt } from './interrupt-shape.ts'
import { FormCard, PlainCard } from './plain-card.tsx'
import { schemaIn, textQuestionOf } from './questions.ts'

/** An answer that is not sent yet. `change` takes it back. */
interface KeptAnswer {
  value: unknown
  change: () => void
}

interface InterruptCardProps {
  interrupt: Interrupt
  /** Sends the answer, or keeps it until others are given. */
  answer: (value: unknown) => void
  isPending: boolean
  /** The composer takes the text of the answer. */
  isAnsweredBelow: boolean
  /** The card takes the focus, unless the user is writing elsewhere. */
  takesFocus: boolean
  kept: KeptAnswer | undefined
}

export function InterruptCard(props: InterruptCardProps) {
  const { interrupt, answer, isPending, kept } = props
  const shape = shapeOfInterrupt(interrupt.value)
  const schema = schemaIn(interrupt)
  const isBelow = props.isAnsweredBelow && textQuestionOf(interrupt) !== undefined
  return (
    <Frame
      waitsFor={shape.kind === 'consent' ? 'your consent' : 'an answer'}
      kept={kept}
      takesFocus={props.takesFocus && !isBelow}
    >
      <div inert={kept !== undefined} className="space-y-3 inert:opacity-60">
        <Talks otherwise={<JsonView value={interrupt.value} />}>
          {shape.kind === 'actions' && (
            <ActionsCard shape={shape} answer={answer} isPending={isPending} />
          )}
          {shape.kind === 'consent' && (
            <ConsentCard shape={shape} answer={answer} isPending={isPending} />
          )}
          {shape.kind === 'plain' &&
            (schema && !isBelow ? (
              <FormCard shape={shape} schema={schema} answer={answer} isPending={isPending} />
            ) : (
              <PlainCard
                shape={shape}
                answer={answer}
                isPending={isPending}
                isAnsweredBelow={isBelow}
                isText={schema !== undefined}
              />
            ))}
        </Talks>
      </div>
    </Frame>
  )
}

function Frame(props: {
  waitsFor: string
  kept: KeptAnswer | undefined
  takesFocus: boolean
  children: ReactNode
}) {
  const { waitsFor, kept, takesFocus, children } = props
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // Not a button of it: a key that was meant for a message would decide.
    if (takesFocus && !isWriting()) section.current?.focus()
  }, [takesFocus])
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label="Interrupt"
      className="overflow-hidden rounded-lg border border-wait/50 bg-surface"
    >
      <header className="flex items-center justify-between gap-2 border-b border-line bg-wait-soft px-3 py-1.5">
        {kept ? (
          <>
            <Badge tone="good">Answered, not sent yet</Badge>
            <code className="min-w-0 flex-1 truncate text-xs">{JSON.stringify(kept.value)}</code>
            <Button size="sm" kind="quiet" onPress={kept.change}>
              Change
            </Button>
          </>
        ) : (
          <Badge tone="wait">{`Waits for ${waitsFor}`}</Badge>
        )}
      </header>
      <div className="p-3">{children}</div>
    </section>
  )
}
