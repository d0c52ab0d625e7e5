/** The composer while a question waits: its text is the answer. */

import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { CornerDownLeft } from '../../design/icon.gen.tsx'
import { addressed } from '../input/interrupt-shape.ts'
import { type TextQuestion, useResume } from '../input/questions.ts'
import { ComposerField } from './composer-field.tsx'

export function AnswerComposer(props: { question: TextQuestion; writeMessage: () => void }) {
  const { question, writeMessage } = props
  const [text, setText] = useState(question.preset)
  const [problem, setProblem] = useState<string>()
  const { mutate: resume, isPending } = useResume()
  const canSend = text.trim() !== '' && !isPending
  const send = () => {
    if (!canSend) return
    const found = question.problemOf(text)
    setProblem(found)
    if (!found) resume(addressed(question.answerOf(text), question.interrupt.id))
  }
  return (
    <form
      aria-label="Answer the question"
      className="shrink-0 border-t border-wait/50 bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="mx-auto max-w-3xl space-y-2">
        <ComposerField
          label="Answer"
          placeholder="Your answer"
          text={text}
          onChange={setText}
          onSend={send}
        />
        {problem !== undefined && (
          <p role="alert" className="text-sm text-bad">
            {problem}
          </p>
        )}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button kind="quiet" onPress={writeMessage}>
            Write a message instead
          </Button>
          <Button
            type="submit"
            kind="primary"
            icon={<CornerDownLeft size={14} />}
            isPending={isPending}
            isDisabled={!canSend}
          >
            Answer
          </Button>
        </div>
      </div>
    </form>
  )
}
