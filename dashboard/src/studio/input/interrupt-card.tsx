/** An interrupt of the graph, with the answers that its shape allows. */
import type { Interrupt } from '@langchain/langgraph-sdk'
import { type ReactNode, useState } from 'react'
import { reasonOf } from '../../design/error-note.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Badge } from '../../design/status.tsx'
import { toast } from '../../design/toast.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useStudio } from '../studio-context.tsx'
import { ActionsCard } from './actions-card.tsx'
import { ConsentCard } from './consent-card.tsx'
import { addressed, shapeOfInterrupt } from './interrupt-shape.ts'
import { FormCard, PlainCard } from './plain-card.tsx'

export function InterruptCard(props: { interrupt: Interrupt; isOneOfSeveral: boolean }) {
  const { interrupt, isOneOfSeveral } = props
  const { submit } = useStudio()
  const [isPending, setPending] = useState(false)
  const shape = shapeOfInterrupt(interrupt.value)
  const { response_schema: schema } = interrupt as { response_schema?: object }
  const answer = (value: unknown) => {
    const resume = addressed(value, { id: interrupt.id, isOneOfSeveral })
    setPending(true)
    submit({ command: { resume } })
      .catch((error) => toast(`The answer was not taken: ${reasonOf(error)}`, { tone: 'bad' }))
      .finally(() => setPending(false))
  }
  return (
    <Frame waitsFor={shape.kind === 'consent' ? 'your consent' : 'an answer'}>
      <Talks otherwise={<JsonView value={interrupt.value} />}>
        {shape.kind === 'actions' && (
          <ActionsCard shape={shape} answer={answer} isPending={isPending} />
        )}
        {shape.kind === 'consent' && (
          <ConsentCard shape={shape} answer={answer} isPending={isPending} />
        )}
        {shape.kind === 'plain' &&
          (schema ? (
            <FormCard shape={shape} schema={schema} answer={answer} isPending={isPending} />
          ) : (
            <PlainCard shape={shape} answer={answer} isPending={isPending} />
          ))}
      </Talks>
    </Frame>
  )
}

function Frame({ waitsFor, children }: { waitsFor: string; children: ReactNode }) {
  return (
    <section
      aria-label="Interrupt"
      className="overflow-hidden rounded-lg border border-wait/50 bg-surface"
    >
      <header className="flex items-center justify-between border-b border-line bg-wait-soft px-3 py-1.5">
        <Badge tone="wait">{`Waits for ${waitsFor}`}</Badge>
      </header>
      <div className="space-y-3 p-3">{children}</div>
    </section>
  )
}
