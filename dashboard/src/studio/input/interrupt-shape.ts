/** Recognises by its shape what an interrupt asks and which answers it allows. */

export type Decision = 'approve' | 'edit' | 'respond' | 'reject'

/** An action that the agent proposes. */
export interface ActionRequest {
  name: string
  /** An object, as a rule. Another value is shown, and cannot be edited. */
  args: unknown
  description?: string
  /** JSON Schema of `args`. */
  schema: object
  allowed: readonly Decision[]
}

/** An answer that a button gives. */
export interface Choice {
  label: string
  value: unknown
}

export const YES_NO: readonly Choice[] = [
  { label: 'Yes', value: true },
  { label: 'No', value: false },
]

export type InterruptShape =
  /** `middleware`: LangChain's human in the loop. `inbox`: the older Agent Inbox. */
  | { kind: 'actions'; from: 'middleware' | 'inbox'; isList: boolean; requests: ActionRequest[] }
  /** The agent needs access to an account, which a user gives on another site's page. */
  | {
      kind: 'consent'
      url: string
      /** Whether the address may be a link: it opens a web page, and runs no script in this one. */
      isLink: boolean
      question?: string
      provider?: string
      scopes: readonly string[]
      /** The other fields of the value; undefined if there are none. */
      rest: unknown
    }
  | PlainShape

export interface PlainShape {
  kind: 'plain'
  question?: string
  /** The other fields of the value; undefined if there are none. */
  value: unknown
  /** The answers that the value names in `choices` or `options`; Yes and No for `type: 'boolean'`. */
  choices?: readonly Choice[]
  /** The answer to begin with, from `default`. */
  preset?: unknown
}

/** The decision about one action. */
export type Answer =
  | { type: 'approve' }
  | { type: 'edit'; name: string; args: unknown }
  | { type: 'respond'; message: string }
  | { type: 'reject'; message?: string }

export type Json = Record<string, unknown>

export function shapeOfInterrupt(value: unknown): InterruptShape {
  return middlewareShape(value) ?? inboxShape(value) ?? consentShape(value) ?? plainShape(value)
}

function middlewareShape(value: unknown): InterruptShape | undefined {
  const asked = objectOf(value)
  const requests = asked.action_requests ?? asked.actionRequests
  if (!Array.isArray(requests)) return undefined
  const configs = listOf(asked.review_configs ?? asked.reviewConfigs).map(objectOf)
  return {
    kind: 'actions',
    from: 'middleware',
    isList: true,
    requests: requests.map(objectOf).map((request, index) => {
      const name = String(request.name ?? request.action ?? 'action')
      const config =
        configs.find((one) => (one.action_name ?? one.actionName) === name) ?? configs[index] ?? {}
      const given = objectOf(config.args_schema ?? config.argsSchema)
      const allowed = listOf(config.allowed_decisions ?? config.allowedDecisions).filter(isDecision)
      const args = request.args ?? request.arguments ?? {}
      return {
        name,
        args,
        schema: 'properties' in given ? given : schemaOf(args),
        ...(request.description ? { description: String(request.description) } : {}),
        allowed: allowedFor(args, allowed.length > 0 ? allowed : ['approve', 'edit', 'reject']),
      }
    }),
  }
}

const INBOX: readonly [flag: string, decision: Decision][] = [
  ['allow_accept', 'approve'],
  ['allow_edit', 'edit'],
  ['allow_respond', 'respond'],
  ['allow_ignore', 'reject'],
]

function inboxShape(value: unknown): InterruptShape | undefined {
  const list = Array.isArray(value) ? value : [value]
  const asked = list.map(objectOf)
  if (asked.length === 0 || !asked.every((one) => 'action_request' in one)) return undefined
  return {
    kind: 'actions',
    from: 'inbox',
    isList: Array.isArray(value),
    requests: asked.map(({ action_request, config, description }) => {
      const asked = objectOf(action_request)
      const args = asked.args ?? {}
      const flags = objectOf(config)
      const allowed = INBOX.filter(([flag]) => flags[flag] === true).map(([, one]) => one)
      return {
        name: String(asked.action),
        args,
        schema: schemaOf(args),
        ...(description ? { description: String(description) } : {}),
        allowed: allowedFor(args, allowed),
      }
    }),
  }
}

/** Without `edit` if the arguments have no fields to edit. */
function allowedFor(args: unknown, allowed: readonly Decision[]): readonly Decision[] {
  return isObject(args) ? allowed : allowed.filter((decision) => decision !== 'edit')
}

/**
 * `auth_url` is the name in `langchain-auth` and in the OAuth example. A plain `url` may be the subject of the
 * question, so it counts only beside a provider or scopes.
 */
function consentShape(value: unknown): InterruptShape | undefined {
  const { auth_url, authUrl, url, provider, scopes, question, message, ...others } = objectOf(value)
  const isAccess = provider !== undefined || scopes !== undefined
  const page = auth_url ?? authUrl ?? (isAccess ? url : undefined)
  if (typeof page !== 'string' || page === '') return undefined
  const asked = question ?? message
  const rest = { ...others, ...(url !== undefined && url !== page && { url }) }
  return {
    kind: 'consent',
    url: page,
    isLink: /^https?:$/.test(URL.canParse(page) ? new URL(page).protocol : ''),
    ...(typeof asked === 'string' && { question: asked }),
    ...(typeof provider === 'string' && { provider }),
    scopes: typeof scopes === 'string' ? scopes.split(/\s+/) : listOf(scopes).map(String),
    rest: Object.keys(rest).length > 0 ? rest : undefined,
  }
}

function plainShape(value: unknown): InterruptShape {
  if (typeof value === 'string') return { kind: 'plain', question: value, value: undefined }
  const fields = objectOf(value)
  const { default: preset, type } = fields
  const asks = fields.question != null ? 'question' : 'message'
  const lists = fields.choices != null ? 'choices' : 'options'
  const { [asks]: asked, [lists]: list, default: _, type: __, ...others } = fields
  const isYesNo = type === 'boolean' || typeof preset === 'boolean'
  const listed = listOf(list)
  const isShort = listed.length > 0 && listed.length <= MOST_CHOICES
  const answers = isShort ? listed.map(choiceOf) : isYesNo ? YES_NO : undefined
  const how = { ...(answers && { choices: answers }), ...(preset !== undefined && { preset }) }
  if (typeof asked !== 'string') return { kind: 'plain', value, ...how }
  const rest = {
    ...others,
    ...(list !== undefined && !isShort && { [lists]: list }),
    ...(type !== undefined && type !== 'boolean' && { type }),
  }
  const isAll = Object.keys(rest).length === 0
  return { kind: 'plain', question: asked, value: isAll ? undefined : rest, ...how }
}

/** Most answers that become buttons. */
const MOST_CHOICES = 8

/** A choice is a value, or an object with a `value` and a `label`, `title` or `name`. */
function choiceOf(choice: unknown): Choice {
  const { value = choice, label, title, name } = objectOf(choice)
  return { label: String(label ?? title ?? name ?? labelOf(value)), value }
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The answers that a JSON Schema allows: an enum, constants, true and false, or an object with one such field.
 * Undefined if they are more than `most`.
 */
export function choicesOf(schema: unknown, most = MOST_CHOICES): readonly Choice[] | undefined {
  const { type, enum: values, oneOf, anyOf, properties } = objectOf(schema)
  if (listOf(values ?? oneOf ?? anyOf).length > most) return undefined
  if (Array.isArray(values)) return values.map((value) => ({ label: labelOf(value), value }))
  if (type === 'boolean') return YES_NO
  const constants = listOf(oneOf ?? anyOf).map(objectOf)
  if (constants.length > 0 && constants.every((one) => 'const' in one))
    return constants.map(({ const: value, title }) => ({
      label: String(title ?? labelOf(value)),
      value,
    }))
  const [field, ...others] = Object.entries(objectOf(properties))
  if (!field || others.length > 0) return undefined
  return choicesOf(field[1], most)?.map(({ label, value }) => ({
    label,
    value: { [field[0]]: value },
  }))
}

/** A text of this length, or of several lines, is edited in a field of several lines. */
const LONG_TEXT = 60

/** A JSON Schema that the value fits; of null, or a list with nothing in it, one that allows everything. */
function schemaOf(value: unknown): object {
  switch (typeof value) {
    case 'string': {
      const isLong = value.length >= LONG_TEXT || value.includes('\n')
      return { type: 'string', ...(isLong && { format: 'textarea' }) }
    }
    case 'number':
    case 'boolean':
      return { type: typeof value }
  }
  if (value === null || typeof value !== 'object') return {}
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => typeof one === 'string')
      ? { type: 'array', items: { type: 'string' } }
      : {}
  const fields = Object.entries(value).map(([key, one]) => [key, schemaOf(one)])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

/** The value that resumes the run. */
export function resumeOf(
  { from, isList }: Extract<InterruptShape, { kind: 'actions' }>,
  answers: readonly Answer[],
): unknown {
  if (from === 'middleware') return { decisions: answers.map(decisionOf) }
  // The Agent Inbox sends a list even for one question.
  return isList || answers.length === 1 ? answers.map(inboxAnswerOf) : inboxAnswerOf(answers[0])
}

/**
 * Adds the interrupt's id to false, 0, '' and null, which LangGraph for JavaScript takes for no answer when they come
 * alone.
 */
export function addressed(answer: unknown, id: string | undefined): unknown {
  return id && !answer ? { [id]: answer } : answer
}

/** In the spelling of both Python and TypeScript: each side reads its own. */
function decisionOf(answer: Answer): Json {
  if (answer.type !== 'edit') return { ...answer }
  const action = { name: answer.name, args: answer.args }
  return { type: 'edit', edited_action: action, editedAction: action }
}

function inboxAnswerOf(answer: Answer | undefined): Json {
  switch (answer?.type) {
    case 'edit':
      return { type: 'edit', args: { action: answer.name, args: answer.args } }
    case 'respond':
      return { type: 'response', args: answer.message }
    case 'reject':
      return { type: 'ignore', args: null }
    default:
      return { type: 'accept', args: null }
  }
}

function isDecision(value: unknown): value is Decision {
  return ['approve', 'edit', 'respond', 'reject'].includes(String(value))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
