/** Texts about attempts and spans on a run's page. */
import type { TimelineAttempt as Attempt, TimelineSpan as Span } from '@runyard/client'
import { countText } from '../design/text/format.ts'
import { messageText } from '../studio/conversation/message-text.ts'

const OUTCOMES: Record<Attempt['outcome'], string> = {
  running: 'goes on',
  success: 'done',
  error: 'failed',
  interrupted: 'stopped',
  timeout: 'timed out',
  handed_over: 'handed over',
  lost: 'server lost',
}

export function attemptWords({ outcome }: Attempt): string {
  return OUTCOMES[outcome]
}

const STATUSES: Record<Span['status'], string> = {
  running: '',
  success: '',
  error: 'failed',
  interrupted: 'interrupted',
  left: 'not finished',
}

/** The kind of the span unless it is a node, and its status unless it succeeded. */
export function spanWords({ kind, model, status, ...span }: Span): string {
  const what = kind === 'model' ? (model ?? 'model') : kind === 'tool' ? 'tool' : ''
  return [what, tokensWords(span), STATUSES[status]].filter(Boolean).join(' · ')
}

/** `120 → 45 tokens`; empty if no tokens were counted. */
export function tokensWords(counted: Pick<Span, 'input_tokens' | 'output_tokens'>): string {
  const { input_tokens: given, output_tokens: answered } = counted
  if (given === undefined && answered === undefined) return ''
  return `${countText(given ?? 0)} → ${countText(answered ?? 0)} tokens`
}

/** The text of the last message in a graph's input or output, under whichever key; a text is itself. */
export function lastWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const messages = Object.values(value).find((one) => Array.isArray(one) && isMessage(one.at(-1)))
  return messages && messageText(messages.at(-1).content)
}

function isMessage(value: unknown): boolean {
  const { content, type, role } = (value ?? {}) as Record<string, unknown>
  return content !== undefined && typeof (type ?? role) === 'string'
}
