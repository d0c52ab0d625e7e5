import { useMemo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { namesFields, SchemaEditor } from '../../design/schema/editor.tsx'
import { SchemaForm } from '../../design/schema/form.tsx'
import { problemsOf } from '../../design/schema/validator.ts'
import { Markdown } from '../../design/text/markdown.tsx'
import { fieldOf } from './answer-field.ts'
import type { InterruptShape } from './interrupt-shape.ts'

/** An interrupt whose answer has a schema, shown as a form. */
export function FormCard(props: {
  shape: Extract<InterruptShape, { kind: 'plain' }>
  /** JSON Schema of the answer. */
  schema: object
  answer: (value: unknown) => void
  isPending: boolean
}) {
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
    <form
      aria-label="Answer"
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {shape.question && <Markdown text={shape.question} />}
      {shape.value !== undefined && <JsonView value={shape.value} />}
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
    </form>
  )
}
