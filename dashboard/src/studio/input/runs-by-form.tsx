/** For graphs without a conversation: the form, open interrupts, and the resulting state. */
import { Empty } from '../../design/empty.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useStudioStream } from '../studio-context.tsx'
import { InputForm } from './input-form.tsx'
import { Pauses } from './pauses.tsx'

export function RunsByForm() {
  const { values, isRunning, isLoading, state } = useStudioStream()
  const isEmpty = Object.keys(values).length === 0
  return (
    <div className="min-h-0 flex-1 space-y-5 overflow-y-auto p-4">
      <Talks>
        <InputForm />
      </Talks>
      <Pauses />
      <section aria-label="Output" className="space-y-2" aria-live="polite" aria-busy={isRunning}>
        <h2 className="font-semibold">{isRunning ? 'State while it runs' : 'State'}</h2>
        {isLoading ? (
          <Skeleton lines={4} />
        ) : isEmpty && !state ? (
          <Empty title="Nothing has run on this thread yet.">
            The state that the graph leaves stands here.
          </Empty>
        ) : (
          <div className="rounded-md border border-line bg-surface p-3">
            <JsonView value={values} />
          </div>
        )}
      </section>
    </div>
  )
}
