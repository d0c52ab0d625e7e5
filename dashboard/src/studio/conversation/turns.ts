/** A conversation for display: tool results are attached to their calls. */
import type { Message } from '@langchain/langgraph-sdk'
import type { Seen } from './seen-states.ts'

export interface Call {
  id: string
  name: string
  args: unknown
  /** The tool's result. */
  result: Message | undefined
}

export interface Turn {
  message: Message
  calls: readonly Call[]
}

/** What a message of the conversation is shown with. */
export interface TurnProps extends Turn {
  seen: Seen | undefined
  seenResults: ReadonlyMap<string, Seen>
  /** A run is in progress, so nothing can be started here. */
  isLive: boolean
  /** This message is being written. */
  isSpeaking: boolean
}

interface ToolCall {
  id?: string
  name: string
  args: unknown
}

/** Tool messages without a call are shown by themselves. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  const results = new Map<string, Message>()
  for (const message of messages)
    if (message.type === 'tool') results.set(message.tool_call_id, message)
  const called = new Set<string>()
  const turns = messages.map((message): Turn => {
    const calls = callsOf(message).map(({ id = '', name, args }): Call => {
      called.add(id)
      return { id, name, args, result: results.get(id) }
    })
    return { message, calls }
  })
  return turns.filter(({ message }) => message.type !== 'tool' || !called.has(message.tool_call_id))
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.type === 'ai' ? ((message.tool_calls as ToolCall[] | undefined) ?? []) : []
}
