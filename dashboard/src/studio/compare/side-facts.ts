/** The facts of one side of a comparison, from its state and its run. */
import type { Run } from '@langchain/langgraph-sdk'
import { isActive } from '../../api/run-state.ts'
import type { State } from '../../api/thread-state.ts'
import { isMessage, type MessageLike } from '../state/message.ts'

/** The messages of a state, under whichever key. */
export function messagesOf(values: State | undefined): readonly MessageLike[] {
  return Object.values(values ?? {}).find(areMessages) ?? []
}

/** The state without its messages, whose ids differ from run to run. */
export function restOf(values: State | undefined): State {
  const messages = messagesOf(values)
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, one]) => one !== messages))
}

function areMessages(value: unknown): value is MessageLike[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage)
}

/** The tokens that the messages report; undefined if none does. */
export function tokensOf(messages: readonly MessageLike[]): number | undefined {
  const told = messages.flatMap(({ usage_metadata }) => usage_metadata?.total_tokens ?? [])
  return told.length > 0 ? told.reduce((sum, count) => sum + count, 0) : undefined
}

/** From its creation to its end, in ms; undefined while it is running. */
export function tookMs(run: Run | undefined): number | undefined {
  if (!run || isActive(run)) return undefined
  return Math.max(0, Date.parse(run.updated_at) - Date.parse(run.created_at))
}

/** Two messages side by side; one may be missing. */
export interface MessagePair {
  left: MessageLike | undefined
  right: MessageLike | undefined
  isSame: boolean
}

/** Pairs by position; ids differ between runs, so the content is compared. */
export function pairMessages(
  left: readonly MessageLike[],
  right: readonly MessageLike[],
): MessagePair[] {
  const count = Math.max(left.length, right.length)
  return Array.from({ length: count }, (_, place) => ({
    left: left[place],
    right: right[place],
    isSame: saying(left[place]) === saying(right[place]),
  }))
}

function saying(message: MessageLike | undefined): string | undefined {
  if (!message) return undefined
  const { type, content, tool_calls = [] } = message
  return JSON.stringify([type, content, tool_calls.map(({ name, args }) => [name, args])])
}
