import { useState } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { Pencil } from '../../design/icon.gen.tsx'
import { Talks } from '../../shell/talks.tsx'
import { useStudio } from '../studio-context.tsx'
import { useAction } from '../use-action.ts'
import { partsOf } from './content-parts.ts'
import { messageText } from './message-text.ts'
import { PartView } from './part-view.tsx'
import type { TurnProps } from './turns.ts'

/** A user's message. It can be edited: the thread then continues from before it, as a branch. */
export function HumanTurn({ message, seen, isLive }: TurnProps) {
  const [isEditing, setEditing] = useState(false)
  const { submit, messagesKey = 'messages' } = useStudio()
  const { mutate: rerun, isPending } = useAction(async (text: string) => {
    const checkpoint = seen?.before
    const said = {
      ...message,
      id: crypto.randomUUID(),
      content: contentWith(message.content, text),
    }
    await submit({ input: { [messagesKey]: [said] } }, checkpoint ? { checkpoint } : {})
    setEditing(false)
  }, 'The run was not begun')
  return (
    <li className="group flex items-start justify-end gap-1 pb-2" data-from="human">
      <span className="sr-only">You said</span>
      {!isEditing && seen?.before && !isLive && (
        <div className="opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <Talks>
            <IconButton
              label="Edit and rerun from here"
              icon={<Pencil size={13} />}
              onPress={() => setEditing(true)}
            />
          </Talks>
        </div>
      )}
      {isEditing ? (
        <Editor
          text={messageText(message.content)}
          rerun={rerun}
          isPending={isPending}
          cancel={() => setEditing(false)}
        />
      ) : (
        <div className="max-w-[85%] space-y-2 rounded-lg bg-accent-soft px-3 py-2">
          {partsOf(message).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
            <PartView key={index} part={part} isPlain />
          ))}
        </div>
      )}
    </li>
  )
}

function Editor(props: {
  text: string
  rerun: (text: string) => void
  isPending: boolean
  cancel: () => void
}) {
  const [text, setText] = useState(props.text)
  return (
    <form
      className="w-full space-y-2"
      onKeyDown={(event) => event.key === 'Escape' && props.cancel()}
      onSubmit={(event) => {
        event.preventDefault()
        props.rerun(text)
      }}
    >
      <TextAreaField
        label="Your message, edited"
        isLabelHidden
        value={text}
        onChange={setText}
        rows={3}
        autoFocus
      />
      <div className="flex justify-end gap-2">
        <Button size="sm" onPress={props.cancel}>
          Cancel
        </Button>
        <Button
          size="sm"
          type="submit"
          kind="primary"
          isPending={props.isPending}
          isDisabled={text.trim() === ''}
        >
          Run from here
        </Button>
      </div>
    </form>
  )
}

/** Keeps the message's images and files. */
function contentWith(content: unknown, text: string): string | object[] {
  if (!Array.isArray(content)) return text
  return [{ type: 'text', text }, ...content.filter((block) => block?.type !== 'text')]
}
