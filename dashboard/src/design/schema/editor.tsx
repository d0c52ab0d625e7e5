import { useState } from 'react'
import { JsonEditor } from '../json/editor.tsx'
import { SchemaForm } from './form.tsx'

type Value = Record<string, unknown>

/**
 * Edits an object: with a form if its JSON Schema names fields, or as JSON. `onChange` receives the new object, or
 * undefined while the text is not a JSON object.
 */
export function SchemaEditor(props: {
  label: string
  /** JSON Schema of the object. */
  schema: object | null | undefined
  value: Value
  onChange: (value: Value | undefined) => void
  /** The view that is open at first; default: the form, if there is one. */
  first?: 'form' | 'json'
  minHeight?: string
}) {
  const { label, schema, onChange } = props
  const hasForm = namesFields(schema)
  const [as, setAs] = useState<'form' | 'json'>(hasForm ? (props.first ?? 'form') : 'json')
  const [value, setValue] = useState(props.value)
  const [text, setText] = useState(() => textOf(props.value))
  const [isJson, setIsJson] = useState(true)
  const type = (typed: string) => {
    setText(typed)
    const read = objectIn(typed)
    setIsJson(read !== undefined)
    if (read) setValue(read)
    onChange(read)
  }
  const fill = (filled: Value) => {
    setValue(filled)
    setText(textOf(filled))
    onChange(filled)
  }
  return (
    <fieldset>
      <div className="mb-1 flex items-end justify-between gap-2">
        <legend className="float-left text-sm font-medium text-ink-soft">{label}</legend>
        {hasForm && (
          <div className="flex gap-0.5 rounded-md border border-line p-0.5 text-xs">
            <Choice isChosen={as === 'form'} isDisabled={!isJson} onChoose={() => setAs('form')}>
              Form
            </Choice>
            <Choice isChosen={as === 'json'} onChoose={() => setAs('json')}>
              JSON
            </Choice>
          </div>
        )}
      </div>
      {as === 'form' && schema ? (
        <div className="rounded-md border border-line p-3">
          <SchemaForm schema={schema} value={value} onChange={fill} idPrefix={label} />
        </div>
      ) : (
        <>
          <JsonEditor
            label={label}
            text={text}
            onChange={type}
            minHeight={props.minHeight ?? '6rem'}
          />
          {!isJson && <p className="mt-1 text-xs text-bad">This is no JSON object yet.</p>}
        </>
      )}
    </fieldset>
  )
}

function Choice(props: {
  isChosen: boolean
  isDisabled?: boolean
  onChoose: () => void
  children: string
}) {
  return (
    <button
      type="button"
      aria-pressed={props.isChosen}
      disabled={props.isDisabled}
      onClick={props.onChoose}
      className="rounded-sm px-2 py-0.5 text-ink-soft hover:bg-hover disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
    >
      {props.children}
    </button>
  )
}

/** Whether the schema has fields of its own, so that a form is possible. */
export function namesFields(schema: object | null | undefined): schema is object {
  const { properties } = (schema ?? {}) as { properties?: object }
  return properties !== undefined && Object.keys(properties).length > 0
}

function textOf(value: Value): string {
  return JSON.stringify(value, null, 2)
}

function objectIn(text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Value) : undefined
  } catch {
    return undefined
  }
}
