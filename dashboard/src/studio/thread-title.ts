import type { State } from '../api/thread-state.ts'
import { messageText } from './conversation/message-text.ts'

/** A thread's title: its first message, or its state in short. */
export function threadTitle(values: State | null | undefined, messages: unknown): string {
  if (Array.isArray(messages)) return messageText(messages[0]?.content)
  return values ? JSON.stringify(values).slice(0, 80) : ''
}
