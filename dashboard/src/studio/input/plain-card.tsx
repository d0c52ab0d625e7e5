import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { JsonEditor } from '../../design/json/editor.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { namesFields, SchemaEditor } from '../../design/schema/editor.tsx'
import { SchemaForm } from '../../design/schema/form.tsx'
import { problemsOf } from '../../design/schema/validator.ts'
import { Markdown } from '../../design/text/markdown.tsx'
import { fieldOf } from './answer-field.ts'
import type { InterruptShape } from './interrupt-shape.ts'
import { Toggle } from './toggle.tsx'

interface CardProps {
  shape: Extract<InterruptShape, { kind: 'plain' }>
  answer: (value: unknown) => void
  isPending: boolean
}

/** The question, and the fields of the answer. */
function AnswerForm(props: {
  shape: CardProps['shape']
  onSend: () => void
  label?: string
  children: ReactNode
}) {
  const { shape, onSend, label, children } = props
  return (
    <form
      aria-label={label}
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {shape.question && <Markdown text={shape.question} />}
      {shape.value !== undefined && <JsonView value={shape.value} />}
      {children}
    </form>
  )
}

/** An interrupt of unknown shape: the answer is text, yes or no, or any JSON. */
export function PlainCard({ shape, answer, isPending }: CardProps) {
  const [way, setWay] = useState<'text' | 'json'>('text')
  const [text, setText] = useState('')
  const [json, setJson] = useState('{\n  \n}')
  const parsed = way === 'json' ? parse(json) : undefined
  const send = () => {
    if (way === 'text') answer(text)
    else if (parsed) answer(parsed.value)
  }
  return (
    <AnswerForm shape={shape} onSend={send}>
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
    </AnswerForm>
  )
}

/** An interrupt whose answer is described by a JSON Schema, shown as a form. */
export function FormCard(props: CardProps & { schema: object }) {
  const { shape, schema, answer, isPending } = props
  const isObject = namesFields(schema)
  const form = useMemo(() => (isObject ? schema : fieldOf(schema)), [isObject, schema])
  const [value, setValue] = useState<Record<string, unknown> | undefined>({})
  const [problem, setProblem] = useState<string>()
  const send = () => {
    const [first] = value ? problemsOf(form, value) : []
    setProblem(first && `${first.path.join('.') || 'The answer'}: ${first.says}`)
    if (value && !first) answer(isObject ? value : value.answer)
  }
  return (
    <AnswerForm shape={shape} onSend={send} label="Answer">
      {isObject ? (
        <SchemaEditor label="Answer" schema={schema} value={{}} onChange={setValue} />
      ) : (
        <SchemaForm schema={form} value={value ?? {}} onChange={setValue} idPrefix="answer" />
      )}
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      <Button type="submit" kind="primary" isPending={isPending} isDisabled={!value}>
        Answer
      </Button>
    </AnswerForm>
  )
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
