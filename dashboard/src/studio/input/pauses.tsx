/** Why the thread has stopped, and how to continue: an error, an interrupt, a breakpoint, an earlier step. */
import { Play, RotateCcw, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { ErrorNote, reasonOf } from '../../design/error-note.tsx'
import { Mark } from '../../design/status.tsx'
import { toast } from '../../design/toast.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { InterruptCard } from './interrupt-card.tsx'

export function Pauses() {
  const { interrupts, isRunning, next } = useStudioStream()
  const { checkpoint } = useStudio()
  if (isRunning && checkpoint === undefined) return null
  return (
    <>
      <Failure />
      {interrupts.map((interrupt, index) => (
        <InterruptCard
          key={interrupt.id ?? index}
          interrupt={interrupt}
          isOneOfSeveral={interrupts.length > 1}
        />
      ))}
      {interrupts.length === 0 && next.length > 0 && <Breakpoint next={next} />}
    </>
  )
}

function Failure() {
  const { error } = useStudioStream()
  const { go, isPending } = useGoOn()
  if (error === undefined || error === null) return null
  return (
    <ErrorNote error={error} title="The run failed.">
      <Talks>
        <p className="text-ink-soft">
          Fix the graph or input, then retry from the failed step. The run's page has its log and
          its steps.
        </p>
        <div className="pt-1">
          <Button size="sm" icon={<RotateCcw size={13} />} onPress={go} isPending={isPending}>
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
  const { go, isPending } = useGoOn()
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
        <Button size="sm" icon={<Play size={13} />} onPress={go} isPending={isPending}>
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

/** Starts a run without an input: the thread continues from its current state. */
function useGoOn() {
  const { submit } = useStudio()
  const [isPending, setPending] = useState(false)
  const go = () => {
    setPending(true)
    submit({ input: null })
      .catch((error) => toast(`The run was not begun: ${reasonOf(error)}`, { tone: 'bad' }))
      .finally(() => setPending(false))
  }
  return { go, isPending }
}
