/**
 * Short texts of a thread's state and of a run, for lists and their search. They are read from the stored values. Only
 * those of a run's end are stored, with its timeline.
 */
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { FoundRun, RunKwargs } from './run.ts'
import type { Thread, ThreadState } from './thread.ts'
import { CUT_OFF, type RunExcerpt } from './timeline/timeline.ts'

/** Maximum length of each text, in characters. */
const MAX_CHARS = 300

/** What a list shows of a thread or a run; `null`: it has none. */
interface Excerpt {
  /** The first message of a thread, or its first text; what a run was given. */
  first: string | null
  /** The last message of a thread; what a run has said last, or the first text that it has changed. */
  last: string | null
  /** A thread's open question; what a run asked when it stopped. */
  question: string | null
  /** As a thread's messages count them; of the models of a run's last attempt. */
  input_tokens: number | null
  output_tokens: number | null
}

export function excerptOfThread({
  values,
  interrupts,
}: Pick<Thread, 'values' | 'interrupts'>): Excerpt {
  const messages = messagesIn(values)
  const asked = Object.values(interrupts).flat()[0]
  const counts = (messages ?? []).flatMap((one) =>
    isObject(one) && isObject(one.usage_metadata) ? [one.usage_metadata] : [],
  )
  const sum = (key: string) =>
    counts.length > 0 ? counts.reduce((all, one) => all + (Number(one[key]) || 0), 0) : null
  return {
    first: clip(messages ? textIn(messages) : firstText(values)),
    last: clip(messages && textIn(messages.toReversed())),
    question: clip(asked && questionText(asked.value)),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
  }
}

export function excerptOfRun({ kwargs, excerpt }: FoundRun): Excerpt {
  const { last = null, question = null, input_tokens = null, output_tokens = null } = excerpt ?? {}
  return { first: givenText(kwargs), last, question, input_tokens, output_tokens }
}

/** The texts of a run's end. No `last` that is only its input, or that may be from an earlier run. */
export function excerptOfEnd(
  given: Pick<RunKwargs, 'input' | 'command'>,
  { values, interrupts }: Pick<ThreadState, 'values' | 'interrupts'>,
): Pick<RunExcerpt, 'last' | 'question'> {
  const messages = messagesIn(values)
  const last = clip(
    messages ? textIn(messages.toReversed()) : firstText(changedBy(given.input, values)),
  )
  const question = clip(interrupts[0] && questionText(interrupts[0].value))
  return {
    ...(last !== null && last !== givenText(given) && { last }),
    ...(question !== null && { question }),
  }
}

/** The last message of an input, its first text, or the answer to a question. */
function givenText({ input, command }: Pick<RunKwargs, 'input' | 'command'>): string | null {
  const { resume } = command ?? {}
  if (resume !== undefined) return clip(firstText(resume) ?? JSON.stringify(resume))
  const messages = messagesIn(input)
  return clip(messages ? textIn(messages.toReversed()) : firstText(input))
}

/** Whether a text in the value contains the wanted one, whatever its case. `folded`: the wanted text in lower case. */
export function mentions(value: JsonValue | undefined, folded: string): boolean {
  for (const text of textsIn(value)) if (text.toLowerCase().includes(folded)) return true
  return false
}

/** Whether stored JSON certainly has no string that contains the text. `folded`: the text in lower case. */
export function lacksText(json: string, folded: string): boolean {
  return !json.toLowerCase().includes(JSON.stringify(folded).slice(1, -1))
}

/** Every text in the value, in order: of a message its content alone, of anything else each string. */
function* textsIn(value: JsonValue | undefined): Generator<string> {
  // A stack: values of users may be nested deeper than calls can be.
  const rest = [value]
  while (rest.length > 0) {
    const one = rest.pop()
    if (typeof one === 'string' && one.trim() !== '') yield one
    for (const part of partsOf(one).toReversed()) rest.push(part)
  }
}

function partsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return isPair(value) ? value.slice(1) : value
  if (!isObject(value)) return []
  return isMessage(value) ? [contentOf(value)].flat() : Object.values(value)
}

/** The texts of a message, without its images and files. */
function contentOf({ content }: JsonObject): JsonValue {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : null
  return content.map((block) =>
    isObject(block) ? (block.type === 'text' && block.text) || null : block,
  )
}

const ROLES: readonly JsonValue[] = ['user', 'human', 'assistant', 'ai', 'system']

/** Whether it is a message in short, as in an input: role and text. */
function isPair([role = null, ...rest]: readonly JsonValue[]): boolean {
  return ROLES.includes(role) && rest.length === 1
}

function isMessage(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && 'content' in value && typeof (value.type ?? value.role) === 'string'
}

/** The messages of a state or an input: the list of that name, else the first list of messages. */
function messagesIn(value: JsonValue | undefined): JsonValue[] | undefined {
  if (!isObject(value)) return undefined
  const lists = [value.messages, ...Object.values(value)]
  return lists.find((one) => Array.isArray(one) && isMessage(one[0])) as JsonValue[] | undefined
}

const UNSAID: readonly unknown[] = ['tool', 'system', 'function', 'remove']

/** The text of the first message that a person or the agent has said. */
function textIn(messages: readonly JsonValue[]): string | undefined {
  for (const one of messages) {
    const isSaid = isMessage(one) && !UNSAID.includes(one.type ?? one.role)
    const text = isSaid ? firstText(one) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

function firstText(value: JsonValue | undefined): string | undefined {
  return textsIn(value).next().value ?? undefined
}

/**
 * The values that the run was not given in this form; `null`: it was given none, and what it has changed is unknown.
 */
function changedBy(input: JsonValue | undefined, values: JsonValue): JsonValue {
  if (input === undefined || input === null) return null
  if (!isObject(values) || !isObject(input)) return values
  const isSame = (key: string) =>
    key in input && JSON.stringify(input[key]) === JSON.stringify(values[key])
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isSame(key)))
}

/** The fields of an interrupt's value that hold its question, by LangGraph's examples and LangChain's middleware. */
const ASKED = ['question', 'message', 'prompt', 'description']

function questionText(value: JsonValue): string {
  const requests = isObject(value) ? (value.action_requests ?? value.action_request) : undefined
  const [asked = null] = [requests ?? value].flat()
  const field = isObject(asked) ? ASKED.map((key) => asked[key]).find(isText) : undefined
  return field ?? firstText(asked) ?? JSON.stringify(value)
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** On one line, without half a character at its end. */
function clip(text: string | undefined): string | null {
  if (text === undefined) return null
  const line = text
    .slice(0, 4 * MAX_CHARS)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const isWhole = line.length <= MAX_CHARS && text.length <= 4 * MAX_CHARS
  return isWhole ? line : line.slice(0, MAX_CHARS).toWellFormed() + CUT_OFF
}
