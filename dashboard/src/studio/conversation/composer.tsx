/** The field for a message, or for the answer to an open question. */
import type { Interrupt } from '@langchain/langgraph-sdk'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button, IconButton } from '../../design/button.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { ArrowUp, Paperclip, X } from '../../design/icon.gen.tsx'
import { bytesText } from '../../design/text/format.ts'
import { toast } from '../../design/toast.tsx'
import { textQuestionOf, useQuestions } from '../input/questions.ts'
import { StopButton } from '../input/stop-button.tsx'
import { StrategyMenu, useStrategy } from '../input/strategy-menu.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { AnswerComposer } from './answer-composer.tsx'
import { type Attachment, contentOf, MOST_BYTES, readAttachment } from './attachments.ts'
import { ComposerField } from './composer-field.tsx'

export function Composer() {
  const { submit, messagesKey = 'messages', threadId } = useStudio()
  const { isRunning } = useStudioStream()
  const [text, setText] = useState('')
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const strategy = useStrategy()
  const canSend = text.trim() !== '' || attachments.length > 0

  const questions = useQuestions()
  const [only, ...others] = questions
  const question = only && others.length === 0 ? textQuestionOf(only) : undefined
  /** The question beside which the user writes a message. */
  const [aside, setAside] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  // A message that was begun before the question came stays one.
  const isAnswer = only !== undefined && aside !== idOf(only) && !canSend
  if (question && isAnswer) {
    return (
      <AnswerComposer key={only.id} question={question} writeMessage={() => setAside(idOf(only))} />
    )
  }

  const send = async () => {
    const kept = { text, attachments }
    setText('')
    setAttachments([])
    const content = contentOf(text, attachments)
    const said = { type: 'human', id: crypto.randomUUID(), content }
    try {
      await submit(
        { input: { [messagesKey]: [said] } },
        isRunning ? { multitaskStrategy: strategy.value } : {},
      )
    } catch (error) {
      setText(kept.text)
      setAttachments(kept.attachments)
      toast(`It was not sent: ${reasonOf(error)}`, { tone: 'bad' })
    }
  }
  const askOrSend = () => {
    if (!canSend) return
    if (!only) return void send()
    // The message stays one while it is sent.
    setAside(idOf(only))
    setAsking(true)
  }
  const attach = async (files: FileList | File[] | null) => {
    for (const file of Array.from(files ?? [])) {
      if (file.size > MOST_BYTES) {
        toast(`${file.name} is larger than ${bytesText(MOST_BYTES)}.`, { tone: 'bad' })
        continue
      }
      const read = await readAttachment(file)
      setAttachments((before) => [...before, read])
    }
  }
  return (
    <>
      <form
        key={threadId}
        aria-label="Say something"
        className="shrink-0 border-t border-line bg-surface p-3"
        onSubmit={(event) => {
          event.preventDefault()
          askOrSend()
        }}
      >
        <div className="mx-auto max-w-3xl space-y-2">
          <Attached
            attachments={attachments}
            remove={(one) => setAttachments(attachments.filter((other) => other !== one))}
          />
          <ComposerField
            label="Message"
            placeholder={
              isRunning
                ? 'Say something meanwhile'
                : only
                  ? 'Answer above, or say something else'
                  : 'Say something'
            }
            text={text}
            onChange={setText}
            onSend={askOrSend}
            onFiles={(files) => void attach(files)}
          />
          <div className="flex flex-wrap items-center gap-2">
            <FileTrigger allowsMultiple onSelect={(files) => void attach(files)}>
              <IconButton label="Attach images or files" icon={<Paperclip size={15} />} />
            </FileTrigger>
            <span className="flex-1" />
            {question && (
              <Button kind="quiet" isDisabled={canSend} onPress={() => setAside(undefined)}>
                Answer the question
              </Button>
            )}
            {isRunning && <StrategyMenu strategy={strategy} />}
            {isRunning && <StopButton />}
            <Button type="submit" kind="primary" icon={<ArrowUp size={14} />} isDisabled={!canSend}>
              Send
            </Button>
          </div>
        </div>
      </form>
      <ConfirmDialog
        title={others.length > 0 ? 'Drop the questions?' : 'Drop the question?'}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={send}
        verb="Send the message"
      >
        <p>
          The agent waits for an answer, and a message is not one: it starts the graph from its
          beginning. What waits here is dropped. To answer it later, open its step in the history.
        </p>
      </ConfirmDialog>
    </>
  )
}

/** Old LangGraph versions give interrupts no id. */
function idOf({ id }: Interrupt): string {
  return id ?? ''
}

function Attached(props: {
  attachments: readonly Attachment[]
  remove: (attachment: Attachment) => void
}) {
  if (props.attachments.length === 0) return null
  return (
    <ul aria-label="Attached" className="flex flex-wrap gap-2">
      {props.attachments.map((one) => (
        <li
          key={one.url}
          className="flex items-center gap-1.5 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-1.5 text-sm"
        >
          {one.type.startsWith('image/') && (
            <img src={one.url} alt="" className="size-6 rounded-sm object-cover" />
          )}
          <span className="max-w-40 truncate">{one.name}</span>
          <IconButton
            label={`Leave ${one.name} out`}
            icon={<X size={13} />}
            onPress={() => props.remove(one)}
          />
        </li>
      ))}
    </ul>
  )
}
