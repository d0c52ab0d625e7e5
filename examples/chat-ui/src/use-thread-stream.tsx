/** The chat on `@langchain/react`: one stream for the whole thread. */
import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { UIMessage } from '@langchain/langgraph-sdk/react-ui'
import { useStream } from '@langchain/react'
import { useState } from 'react'
import { Cards } from './cards.tsx'
import type { Chat, ChatMessage } from './chat.ts'
import { type Connection, rememberThread } from './connection.ts'
import { callsOf, errorText, senderOf, textOf } from './message-text.ts'

interface State {
  messages: BaseMessage[]
  ui?: UIMessage[]
}

export function useThreadStream({ apiUrl, apiKey, threadId: first }: Connection): Chat {
  const [threadId, setThreadId] = useState(first)
  const stream = useStream<State, { question: string }>({
    apiUrl,
    ...(apiKey && { apiKey }),
    assistantId: 'chat',
    threadId,
    onThreadId: (id: string) => {
      setThreadId(id)
      rememberThread(id)
    },
  })
  // The hook takes the first steps of a fork for a replay of what it has seen, and keeps what the fork
  // leaves behind until a reload: it is not shown any longer.
  const [left, setLeft] = useState<readonly string[]>([])
  const messages = stream.messages.filter(({ id }) => !left.includes(id ?? ''))
  const human = (content: string) => ({ messages: [new HumanMessage(content)] })

  /** The checkpoint that the conversation was at when the message came. */
  async function checkpointBefore(messageId: string): Promise<string | undefined> {
    if (!stream.threadId) return undefined
    const states = await stream.client.threads.getHistory<{ messages?: { id?: string }[] }>(
      stream.threadId,
      { limit: 1000 },
    )
    const first = states.findLast(({ values }) =>
      values.messages?.some(({ id }) => id === messageId),
    )
    return first?.parent_checkpoint?.checkpoint_id ?? undefined
  }

  async function rewrite(messageId: string, text: string): Promise<void> {
    const forkFrom = await checkpointBefore(messageId)
    const from = messages.findIndex(({ id }) => id === messageId)
    setLeft([...left, ...messages.slice(from).map(({ id }) => id ?? '')])
    await stream.submit(human(text), forkFrom ? { forkFrom } : {})
  }

  function show(message: BaseMessage, index: number): ChatMessage {
    const type = message.getType()
    return {
      id: message.id ?? String(index),
      from: senderOf(type),
      text: textOf(message.content),
      calls: 'tool_calls' in message ? callsOf(message.tool_calls as never) : [],
      components: <Cards stream={stream} ui={stream.values.ui} messageId={message.id} />,
    }
  }
  return {
    messages: messages.map(show),
    isBusy: stream.isLoading,
    error: errorText(stream.error),
    question: stream.interrupt?.value?.question,
    send: (text) => void stream.submit(human(text)),
    decide: (approved) => void stream.respond({ approved }),
    rewrite: (messageId, text) => void rewrite(messageId, text),
    stop: () => void stream.stop(),
  }
}
