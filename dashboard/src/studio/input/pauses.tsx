/** Why the thread has stopped, and how to continue: an error, an interrupt, a breakpoint, an earlier step. */
import type { Interrupt } from '@langchain/langgraph-sdk'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Play, RotateCcw, Undo2 } from '../../design/icon.gen.tsx'
import { Mark } from '../../design/status.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { useGoOn } from '../use-action.ts'
import { InterruptCard } from './interrupt-card.tsx'
import { addressed } from './interrupt-shape.ts'
import { useQuestions, useResume } from './questions.ts'

/** `hasComposer`: a question is answered in the composer, if its answer is a text. */
export function Pauses({ hasComposer = false }: { hasComposer?: boolean }) {
  const { isRunning, next } = useStudioStream()
  const { checkpoint } = useStudio()
  const questions = useQuestions()
  if (isRunning && checkpoint === undefined) return null
  return (
    <>
      <Failure />
      <Questions
        key={questions.map(({ id }) => id).join()}
        questions={questions}
        hasComposer={hasComposer}
      />
      {questions.length === 0 && next.length > 0 && <Breakpoint next={next} />}
    </>
  )
}

/** One answer is sent at once. Of several, each is kept until the user sends them, all together or some. */
function Questions(props: { questions: readonly Interrupt[]; hasComposer: boolean }) {
  const { questions, hasComposer } = props
  const isAlone = questions.length === 1
  const { mutate: resume, isPending } = useResume()
  const [answers, setAnswers] = useState<ReadonlyMap<string, unknown>>(new Map())
  const open = questions.length - answers.size
  const answer = ({ id }: Interrupt, value: unknown) => {
    // Without an id, the server takes the value for the next question that it comes to.
    if (isAlone || !id) resume(addressed(value, id))
    else setAnswers(new Map(answers).set(id, value))
  }
  const keptOf = (id = '') => {
    const change = () => setAnswers(new Map([...answers].filter(([key]) => key !== id)))
    return answers.has(id) ? { value: answers.get(id), change } : undefined
  }
  return (
    <>
      {questions.map((question, index) => (
        <InterruptCard
          key={question.id ?? index}
          interrupt={question}
          answer={(value) => answer(question, value)}
          isPending={isPending}
          isAnsweredBelow={isAlone && hasComposer}
          takesFocus={index === 0}
          kept={keptOf(question.id)}
        />
      ))}
      {questions.length > 1 && (
        <Talks>
          <div className="flex flex-wrap items-center gap-2.5">
            <Button
              kind="primary"
              isPending={isPending}
              isDisabled={answers.size === 0}
              onPress={() => resume(Object.fromEntries(answers))}
            >
              {`Send ${answers.size} of ${questions.length} answers`}
            </Button>
            <p className="min-w-0 flex-1 basis-60 text-sm text-ink-soft">
              {answers.size === 0
                ? `${questions.length} questions wait. Answer all of them, or only some.`
                : open === 0
                  ? 'All questions are answered: the run goes on.'
                  : `${open === 1 ? 'The other question stays open' : `The other ${open} questions stay open`}: the run goes on only when each has its answer.`}
            </p>
          </div>
        </Talks>
      )}
    </>
  )
}

function Failure() {
  const { error } = useStudioStream()
  const { mutate: go, isPending } = useGoOn()
  if (error === undefined || error === null) return null
  return (
    <ErrorNote error={error} title="The run failed.">
      <Talks>
        <p className="text-ink-soft">
          Fix the graph or input, then retry from the failed step. The run's page has its log and
          its steps.
        </p>
        <div className="pt-1">
          <Button
            size="sm"
            icon={<RotateCcw size={13} />}
            onPress={() => go()}
            isPending={isPending}
          >
            Try that step again
          </Button>
        </div>
      </Talks>
    </ErrorNote>
  )
}

/** A breakpoint, or an earlier step. */
function Breakpoint({ next }: { next: readonly string[] }) {
  const { error } = useStudioStream()
  const { checkpoint } = useStudio()
  const { mutate: go, isPending } = useGoOn()
  if (error !== undefined && error !== null) return null
  const names = next.filter((name) => name !== '__start__').join(', ') || 'its first node'
  return (
    <section
      aria-label="Breakpoint"
      className="flex flex-wrap items-center gap-2.5 rounded-md border border-wait/40 bg-wait-soft px-3 py-2"
    >
      <Mark tone="wait" />
      <p className="min-w-0 flex-1">
        {checkpoint ? 'Here the run stood before' : 'The run stopped before'}{' '}
        <strong className="font-medium">{names}</strong>.
      </p>
      <Talks>
        <Button size="sm" icon={<Play size={13} />} onPress={() => go()} isPending={isPending}>
          {checkpoint ? 'Run again from here' : 'Go on'}
        </Button>
      </Talks>
    </section>
  )
}

/** Shows that an earlier step is selected. */
export function LookBack() {
  const { checkpoint, select } = useStudio()
  const { state } = useStudioStream()
  if (checkpoint === undefined) return null
  const step = state?.metadata?.step
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1">
        You look at {typeof step === 'number' ? `step ${step}` : 'an earlier step'}.{' '}
        <Talks>What you send now goes on from here, as a branch.</Talks>
      </p>
      <Button
        size="sm"
        kind="quiet"
        icon={<Undo2 size={13} />}
        onPress={() => select({ checkpoint: null })}
      >
        To the newest
      </Button>
    </div>
  )
}
