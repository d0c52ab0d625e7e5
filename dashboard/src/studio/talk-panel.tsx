/** The middle column: the conversation, or input and result, and how to continue. */
import { Conversation } from './conversation/conversation.tsx'
import { Queue } from './conversation/queue.tsx'
import { LookBack } from './input/pauses.tsx'
import { RunsByForm } from './input/runs-by-form.tsx'
import { Toggle } from './input/toggle.tsx'
import { messagesKeyOf } from './messages-key.ts'
import { useStudioSearch } from './search.ts'
import { useStudio } from './studio-context.tsx'

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
