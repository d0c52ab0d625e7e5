/** The middle column: the conversation, or input and result, and how to continue. */

import { Empty } from '../design/empty.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Toggle } from '../design/toggle.tsx'
import { Talks } from '../shell/talks.tsx'
import { Conversation } from './conversation/conversation.tsx'
import { Queue } from './conversation/queue.tsx'
import { InputForm } from './input/input-form.tsx'
import { LookBack, Pauses } from './input/pauses.tsx'
import { messagesKeyOf } from './messages-key.ts'
import { useStudioSearch } from './search.ts'
import { useStudio, useStudioStream } from './studio-context.tsx'

export function TalkPanel() {
  const { search, change } = useStudioSearch()
  const { messagesKey, schemas } = useStudio()
  const canTalk =
    messagesKey !== undefined &&
    messagesKeyOf(schemas.input_schema ?? schemas.state_schema) !== undefined
  if (!canTalk) return <ByForm />
  const way = search.input ?? 'chat'
  return (
    <>
      <div className="flex shrink-0 items-center justify-end border-b border-line px-3 py-1.5">
        <Toggle
          label="How to give input"
          value={way}
          onChange={(input) => change({ input: input === 'chat' ? undefined : input })}
          choices={[
            { value: 'chat', label: 'Messages' },
            { value: 'form', label: 'Input' },
          ]}
        />
      </div>
      {way === 'chat' ? <Conversation /> : <ByForm />}
    </>
  )
}

function ByForm() {
  return (
    <>
      <LookBack />
      <RunsByForm />
      <Queue />
    </>
  )
}

/** For graphs without a conversation: the form, open interrupts, and the resulting state. */
function RunsByForm() {
  const { values, isRunning, isLoading, state } = useStudioStream()
  const isEmpty = Object.keys(values).length === 0
  return (
    <div className="min-h-0 flex-1 space-y-5 overflow-y-auto p-4">
      <Pauses />
      <Talks>
        <InputForm />
      </Talks>
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
