/** The open questions of the thread, and how they are answered. */
import type { Interrupt } from '@langchain/langgraph-sdk'
import { problemsOf } from '../../design/schema/validator.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { useAction } from '../use-action.ts'
import { choicesOf, shapeOfInterrupt } from './interrupt-shape.ts'

const NONE: readonly Interrupt[] = []

/** The interrupts that wait for an answer at the checkpoint shown; none while a run is in progress. */
export function useQuestions(): readonly Interrupt[] {
  const { interrupts, isRunning } = useStudioStream()
  const { checkpoint } = useStudio()
  return isRunning && checkpoint === undefined ? NONE : interrupts
}

/** Resumes the thread with a value. A refusal is shown. */
export function useResume() {
  const { submit } = useStudio()
  const resume = (value: unknown) => submit({ command: { resume: value } })
  return useAction(resume, 'The answer was not taken')
}

/** A question whose answer is a text. */
export interface TextQuestion {
  interrupt: Interrupt
  /** The text to begin with. */
  preset: string
  /** The answer that a text gives: the choice of that name, or the text itself. */
  answerOf(text: string): unknown
  /** Why the text is no answer; undefined if it is one. */
  problemOf(text: string): string | undefined
}

/** Undefined if the interrupt has another shape, or if its schema allows other values than texts. */
export function textQuestionOf(interrupt: Interrupt): TextQuestion | undefined {
  const shape = shapeOfInterrupt(interrupt.value)
  const schema = schemaIn(interrupt)
  const isText =
    !schema || (schema.type === 'string' && !choicesOf(schema, Number.POSITIVE_INFINITY))
  if (shape.kind !== 'plain' || !isText) return undefined
  const preset = shape.preset ?? schema?.default
  const { choices = [] } = shape
  const isWord = typeof preset === 'string' || typeof preset === 'number'
  const first =
    choices.find(({ value }) => value === preset)?.label ?? (isWord ? String(preset) : '')
  return {
    interrupt,
    preset: first,
    answerOf: (text) => {
      const chosen = choices.find(({ label }) => label.toLowerCase() === text.trim().toLowerCase())
      if (chosen) return chosen.value
      // A default may be a number.
      return text === first ? preset : text
    },
    problemOf: (text) => (schema ? problemsOf(schema, text)[0]?.says : undefined),
  }
}

/** The JSON Schema of the answer, which LangGraph for JavaScript sends along. */
export function schemaIn(interrupt: Interrupt): { type?: unknown; default?: unknown } | undefined {
  return (interrupt as { response_schema?: object }).response_schema
}
