import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { JsonEditor } from '../../design/json/editor.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { namesFields, SchemaEditor } from '../../design/schema/editor.tsx'
import { SchemaForm } from '../../design/schema/form.tsx'
import { problemsOf } from '../../design/schema/validator.ts'
import { Markdown } from '../../design/text/markdown.tsx'
import { Toggle } from '../../design/toggle.tsx'
import { defaultsOf, fieldOf } from './answer-field.ts'
import { type Choice, choicesOf, type PlainShape } from './interrupt-shape.ts'

interface CardProps {
  shape: PlainShape
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

/**
 * An interrupt of unknown shape: the answer is a text, one of the choices, or any JSON. `isAnsweredBelow`: the composer
 * has the field for the text. `isText`: the answer must be a text.
 */
export function PlainCard(props: CardProps & { isAnsweredBelow?: boolean; isText?: boolean }) {
  const { shape, answer, isPending, isAnsweredBelow = false, isText = false } = props
  const { choices, preset } = shape
  const isObject = typeof preset === 'object' && preset !== null
  const [way, setWay] = useState<'text' | 'json'>(isObject ? 'json' : 'text')
  const [text, setText] = useState(typeof preset === 'string' ? preset : '')
  const [json, setJson] = useState(isObject ? JSON.stringify(preset, null, 2) : '{\n  \n}')
  const parsed = way === 'json' ? parse(json) : undefined
  const send = () => {
    if (way === 'text') answer(text)
    else if (parsed) answer(parsed.value)
  }
  return (
    <AnswerForm shape={shape} onSend={send}>
      {choices && (
        <Choices choices={choices} preset={preset} answer={answer} isPending={isPending} />
      )}
      {way === 'json' ? (
        <JsonEditor label="Answer, as JSON" text={json} onChange={setJson} minHeight="5rem" />
      ) : isAnsweredBelow ? null : (
        <TextAreaField
          label="Answer"
          isLabelHidden
          placeholder="Your answer"
          value={text}
          onChange={setText}
          rows={2}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {(way === 'json' || !isAnsweredBelow) && (
          <Button
            type="submit"
            kind={choices ? 'plain' : 'primary'}
            isPending={isPending}
            isDisabled={way === 'json' ? !parsed : text.trim() === ''}
          >
            Answer
          </Button>
        )}
        {way === 'text' && (
          <p className="min-w-0 flex-1 basis-40 text-xs text-ink-faint">
            {isAnsweredBelow ? 'Answer in the field below. ' : ''}
            {isText ? '' : 'The graph gets the text. If it expects an object, answer with JSON.'}
          </p>
        )}
        {!isText && (
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
        )}
      </div>
    </AnswerForm>
  )
}

/** One button for each answer; the preset one stands out. */
function Choices(props: {
  choices: readonly Choice[]
  preset: unknown
  answer: (value: unknown) => void
  isPending: boolean
}) {
  const { choices, preset, answer, isPending } = props
  return (
    <fieldset aria-label="Choices" className="flex flex-wrap gap-2">
      {choices.map(({ label, value }) => (
        <Button
          key={label}
          kind={JSON.stringify(value) === JSON.stringify(preset) ? 'primary' : 'plain'}
          isDisabled={isPending}
          onPress={() => answer(value)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}

/** An interrupt whose answer has a JSON Schema, shown as buttons or as a form. */
export function FormCard(props: CardProps & { schema: object }) {
  const { shape, schema, answer, isPending } = props
  const choices = choicesOf(schema)
  if (!choices) return <FieldsCard {...props} />
  const { default: preset } = schema as { default?: unknown }
  return (
    <AnswerForm shape={shape} onSend={() => undefined} label="Answer">
      <Choices
        choices={choices}
        preset={preset ?? shape.preset}
        answer={answer}
        isPending={isPending}
      />
    </AnswerForm>
  )
}

function FieldsCard({ shape, schema, answer, isPending }: CardProps & { schema: object }) {
  const isObject = namesFields(schema)
  const form = useMemo(() => (isObject ? schema : fieldOf(schema)), [isObject, schema])
  const { preset } = shape
  const [first] = useState(() => {
    const given = isObject ? preset : preset !== undefined && { answer: preset }
    return { ...defaultsOf(form), ...(typeof given === 'object' && given) }
  })
  const [value, setValue] = useState<Record<string, unknown> | undefined>(first)
  const [problem, setProblem] = useState<string>()
  const send = () => {
    const [first] = value ? problemsOf(form, value) : []
    setProblem(first && `${first.path.join('.') || 'The answer'}: ${first.says}`)
    if (value && !first) answer(isObject ? value : value.answer)
  }
  return (
    <AnswerForm shape={shape} onSend={send} label="Answer">
      {isObject ? (
        <SchemaEditor label="Answer" schema={schema} value={first} onChange={setValue} />
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
