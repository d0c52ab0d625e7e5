/** What the page shows and does, whichever hook is behind it. */
import type { ReactNode } from 'react'

export interface ChatMessage {
  id: string
  from: 'human' | 'agent' | 'tool'
  text: string
  /** What the agent asks its tools, as text. */
  calls: string[]
  /** The other versions of this message, where it has some. */
  branches?: { current: number; count: number; go(index: number): void }
  /** Components of the server that belong to it. */
  components?: ReactNode
}

export interface Chat {
  messages: ChatMessage[]
  isBusy: boolean
  error: string | undefined
  /** What the agent waits to be allowed. */
  question: string | undefined
  send(text: string): void
  decide(isApproved: boolean): void
  /** Says something else in the place of an earlier message of the human's. */
  rewrite(messageId: string, text: string): void
  stop(): void
}
