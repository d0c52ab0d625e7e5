/** The input of a run by its schema: as a form, or as JSON. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { State } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Play } from '../../design/icon.gen.tsx'
import { JsonEditor } from '../../design/json/editor.tsx'
import { jsonObject } from '../../design/json/object.ts'
import { SchemaForm } from '../../design/schema/form.tsx'
import { problemsOf } from '../../design/schema/validator.ts'
import { Toggle } from '../../design/toggle.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { StopButton } from './stop-button.tsx'
import { StrategyMenu, useStrategy } from './strategy-menu.tsx'

export function InputForm() {
  const { schemas, submit } = useStudio()
  const { isRunning } = useStudioStream()
  const schema = schemas.input_schema ?? schemas.state_schema ?? { type: 'object' }
  const [value, setValue] = useState<State>({})
  const [text, setText] = useState('{}')
  const [isJson, setJson] = useState(false)
  const [areProblemsShown, showProblems] = useState(false)
  const strategy = useStrategy()

  const turn = (toJson: boolean) => {
    if (toJson) setText(JSON.stringify(value, null, 2))
    else setValue(jsonObject(text) ?? value)
    setJson(toJson)
  }
  const run = useMutation({
    mutationFn: async () => {
      const input = isJson ? jsonObject(text) : value
      showProblems(true)
      if (!input) throw new Error('The input is not a JSON object yet.')
      const [problem] = problemsOf(schema, input)
      // The form shows its problems at its fields.
      if (problem && !isJson) return
      if (problem) throw new Error(`${problem.path.join('.') || 'The input'}: ${problem.says}`)
      await submit({ input }, isRunning ? { multitaskStrategy: strategy.value } : {})
    },
  })
  return (
    <form
      aria-label="Input"
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        run.mutate()
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
      {run.error && <ErrorNote error={run.error} title="The run was not begun." />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="primary" icon={<Play size={14} />} isPending={run.isPending}>
          Run
        </Button>
        {isRunning && <StopButton />}
        {isRunning && <StrategyMenu strategy={strategy} />}
      </div>
    </form>
  )
}
