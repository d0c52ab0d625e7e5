/**
 * How interrupts can be answered. Two shapes have choices of their own: LangChain's human in the loop
 * (`action_requests`), and the older inbox's (`action_request`). Any other interrupt takes text or JSON.
 */

export interface Interrupt {
  id?: string
  value: unknown
}

/** One way to answer. */
export interface Choice {
  /** `approve`, `edit`, `reply`, … */
  name: string
  /** The text that this answer needs; absent: none. */
  asks?: string
  /** The value that resumes the run. */
  answer(said: string): unknown
}

/** The question of an interrupt, as people read it, and the possible answers. */
export interface Question {
  text: string
  choices: Choice[]
}

interface ActionRequest {
  name: string
  args: unknown
  description?: string
}

interface Review {
  allowed_decisions?: string[]
}

interface InboxRequest {
  action_request: { action: string; args: unknown }
  config?: Record<string, boolean | undefined>
  description?: string
}

export function questionOf({ value }: Interrupt): Question {
  const hitl = value as { action_requests?: ActionRequest[]; review_configs?: Review[] } | null
  if (Array.isArray(hitl?.action_requests)) {
    return ofActions(hitl.action_requests, hitl.review_configs ?? [])
  }
  const [inbox] = Array.isArray(value) ? (value as InboxRequest[]) : [value as InboxRequest | null]
  if (inbox?.action_request) return ofInbox(inbox)
  return { text: textOf(value), choices: [free] }
}

/** The text as an answer, if nothing else is known: parsed if it is JSON, else the text itself. */
export function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The choice that a line begins with (`reject: too dear`, `approve`), or else the only one that takes text. */
export function chosen(
  { choices }: Question,
  line: string,
): { choice: Choice; said: string } | undefined {
  const [, word = '', said = ''] = /^\s*([\w-]+)\s*:?\s*(.*)$/s.exec(line) ?? []
  const named = choices.find(({ name }) => name === word.toLowerCase())
  if (named) return { choice: named, said }
  const [only, ...others] = choices
  return only && others.length === 0 ? { choice: only, said: line } : undefined
}

const free: Choice = { name: 'reply', asks: 'an answer, as text or JSON', answer: looseJson }

/** Each of several actions gets the same decision, except edits, which name one. */
function ofActions(requests: ActionRequest[], reviews: Review[]): Question {
  const text = requests
    .map(({ name, args, description }) => description ?? `${name} ${JSON.stringify(args)}`)
    .join('\n')
  const all = (decision: object) => ({ decisions: requests.map(() => decision) })
  const [request, ...others] = requests
  const ways: Choice[] = [
    { name: 'approve', answer: () => all({ type: 'approve' }) },
    ...(request && others.length === 0
      ? [
          {
            name: 'edit',
            asks: `the arguments of ${request.name}, as JSON`,
            answer: (said: string) => {
              const edited_action = { name: request.name, args: looseJson(said) }
              return all({ type: 'edit', edited_action })
            },
          },
        ]
      : []),
    { name: 'reject', asks: 'why', answer: (said) => all({ type: 'reject', message: said }) },
    {
      name: 'respond',
      asks: 'what the tool is to answer',
      answer: (said) => all({ type: 'respond', message: said }),
    },
  ]
  const allowed = reviews.map(({ allowed_decisions }) => allowed_decisions)
  return {
    text,
    choices: ways.filter(({ name }) =>
      allowed.every((list) => list?.includes(name) ?? name !== 'respond'),
    ),
  }
}

function ofInbox({ action_request, config = {}, description }: InboxRequest): Question {
  const { action, args } = action_request
  const ways: [string, Choice][] = [
    ['allow_accept', { name: 'approve', answer: () => [{ type: 'accept', args: null }] }],
    [
      'allow_edit',
      {
        name: 'edit',
        asks: `the arguments of ${action}, as JSON`,
        answer: (said) => [{ type: 'edit', args: { action, args: looseJson(said) } }],
      },
    ],
    [
      'allow_respond',
      { name: 'reply', asks: 'what', answer: (said) => [{ type: 'response', args: said }] },
    ],
    ['allow_ignore', { name: 'ignore', answer: () => [{ type: 'ignore', args: null }] }],
  ]
  const choices = ways.filter(([key]) => config[key] === true).map(([, choice]) => choice)
  return { text: description ?? `${action} ${JSON.stringify(args)}`, choices }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
