import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { JsonEditor } from '../../design/json/editor.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Markdown } from '../../design/text/markdown.tsx'
import type { InterruptShape } from './interrupt-shape.ts'
import { Toggle } from './toggle.tsx'

/** An interrupt of unknown shape: the answer is text, yes or no, or any JSON. */
export function PlainCard(props: {
  shape: Extract<InterruptShape, { kind: 'plain' }>
  answer: (value: unknown) => void
  isPending: boolean
}) {
  const { shape, answer, isPending } = props
  const [way, setWay] = useState<'text' | 'json'>('text')
  const [text, setText] = useState('')
  const [json, setJson] = useState('{\n  \n}')
  const parsed = way === 'json' ? parse(json) : undefined
  const send = () => {
    if (way === 'text') answer(text)
    else if (parsed) answer(parsed.value)
  }
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {shape.question && <Markdown text={shape.question} />}
      {shape.value !== undefined && <JsonView value={shape.value} />}
      {way === 'text' ? (
        <TextAreaField
          label="Answer"
          isLabelHidden
          placeholder="Your answer"
          value={text}
          onChange={setText}
          rows={2}
        />
      ) : (
        <JsonEditor label="Answer, as JSON" text={json} onChange={setJson} minHeight="5rem" />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          kind="primary"
          isPending={isPending}
          isDisabled={way === 'json' ? !parsed : text.trim() === ''}
        >
          Answer
        </Button>
        {way === 'text' && (
          <>
            <Button onPress={() => answer(true)} isDisabled={isPending}>
              Yes
            </Button>
            <Button onPress={() => answer(false)} isDisabled={isPending}>
              No
            </Button>
          </>
        )}
        <span className="ml-auto">
          <Toggle
            label="How to answer"
            value={way}
            onChange={setWay}
            choices={[
              { value: 'text', label: 'Text' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        </span>
      </div>
      {way === 'text' && (
        <p className="text-xs text-ink-faint">
          The graph gets the text, or <code>true</code> and <code>false</code> for Yes and No. If it
          expects an object, answer with JSON.
        </p>
      )}
    </form>
  )
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
