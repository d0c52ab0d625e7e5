/** The input of a run by its schema: as a form, or as JSON. */

import { useState } from 'react'
import type { State } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Play } from '../../design/icon.gen.tsx'
import { JsonEditor } from '../../design/json/editor.tsx'
import { SchemaForm } from '../../design/schema/form.tsx'
import { problemsOf } from '../../design/schema/validator.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { StopButton } from './stop-button.tsx'
import { StrategyMenu, useStrategy } from './strategy-menu.tsx'
import { Toggle } from './toggle.tsx'

export function InputForm() {
  const { schemas, submit } = useStudio()
  const { isRunning } = useStudioStream()
  const schema = schemas.input_schema ?? schemas.state_schema ?? { type: 'object' }
  const [value, setValue] = useState<State>({})
  const [text, setText] = useState('{}')
  const [isJson, setJson] = useState(false)
  const [areProblemsShown, showProblems] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)
  const strategy = useStrategy()

  const turn = (toJson: boolean) => {
    if (toJson) setText(JSON.stringify(value, null, 2))
    else {
      const parsed = parsedObject(text)
      if (parsed) setValue(parsed)
    }
    setJson(toJson)
  }
  const run = async () => {
    const input = isJson ? parsedObject(text) : value
    showProblems(true)
    setError(undefined)
    if (!input) return setError(new Error('The input is not a JSON object yet.'))
    const [problem] = problemsOf(schema, input)
    if (problem) {
      const where = problem.path.join('.') || 'The input'
      return isJson ? setError(new Error(`${where}: ${problem.says}`)) : undefined
    }
    setPending(true)
    try {
      await submit({ input }, isRunning ? { multitaskStrategy: strategy.value } : {})
    } catch (reason) {
      setError(reason)
    } finally {
      setPending(false)
    }
  }
  return (
    <form
      aria-label="Input"
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <div className="flex items-center justify-between">
        <h2 className="font-semibold">Input</h2>
        <Toggle
          label="How to write it"
          value={isJson ? 'json' : 'form'}
          onChange={(way) => turn(way === 'json')}
          choices={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {isJson ? (
        <JsonEditor label="Input, as JSON" text={text} onChange={setText} />
      ) : (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          areProblemsShown={areProblemsShown}
          idPrefix="input"
        />
      )}
      {error !== undefined && <ErrorNote error={error} title="The run was not begun." />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="primary" icon={<Play size={14} />} isPending={isPending}>
          Run
        </Button>
        {isRunning && <StopButton />}
        {isRunning && <StrategyMenu strategy={strategy} />}
      </div>
    </form>
  )
}

function parsedObject(text: string): State | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as State)
      : undefined
  } catch {
    return undefined
  }
}
