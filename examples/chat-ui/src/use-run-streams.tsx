/** The chat on `@langchain/langgraph-sdk/react`: a stream for each run. */
import type { Message } from '@langchain/langgraph-sdk'
import { useStream } from '@langchain/langgraph-sdk/react'
import { type UIMessage, uiMessageReducer } from '@langchain/langgraph-sdk/react-ui'
import { useState } from 'react'
import { Cards } from './cards.tsx'
import type { Chat, ChatMessage } from './chat.ts'
import { type Connection, rememberThread } from './connection.ts'
import { callsOf, errorText, senderOf, textOf } from './message-text.ts'

interface State extends Record<string, unknown> {
  messages: Message[]
  ui?: UIMessage[]
}

interface Bag {
  InterruptType: { question: string }
  CustomEventType: UIMessage
}

export function useRunStreams({ apiUrl, apiKey, threadId: first }: Connection): Chat {
  const [threadId, setThreadId] = useState(first)
  const stream = useStream<State, Bag>({
    apiUrl,
    ...(apiKey && { apiKey }),
    assistantId: 'chat',
    threadId,
    onThreadId: (id) => {
      setThreadId(id)
      rememberThread(id)
    },
    // The run that a reload interrupted is found in the session's storage and joined again.
    reconnectOnMount: true,
    fetchStateHistory: true,
    onCustomEvent: (event, { mutate }) => {
      mutate((state) => ({ ui: uiMessageReducer(state.ui ?? [], event) }))
    },
  })

  const human = (content: string) => ({ messages: [{ type: 'human' as const, content }] })
  const submitOptions = { streamResumable: true, onDisconnect: 'continue' as const }

  function show(message: Message, index: number): ChatMessage {
    const metadata = stream.getMessagesMetadata(message, index)
    const { branch, branchOptions } = metadata ?? {}
    return {
      id: message.id ?? String(index),
      from: senderOf(message.type),
      text: textOf(message.content),
      calls: message.type === 'ai' ? callsOf(message.tool_calls) : [],
      ...(branch !== undefined &&
        branchOptions &&
        branchOptions.length > 1 && {
          branches: {
            current: branchOptions.indexOf(branch),
            count: branchOptions.length,
            go: (to) => stream.setBranch(branchOptions[to] ?? branch),
          },
        }),
      components: <Cards stream={stream} ui={stream.values.ui} messageId={message.id} />,
    }
  }

  return {
    messages: stream.messages.map(show),
    isBusy: stream.isLoading,
    error: errorText(stream.error),
    question: stream.interrupt?.value?.question,
    send: (text) => {
      const said = { type: 'human' as const, content: text }
      const optimisticValues = (state: State) => ({ messages: [...(state.messages ?? []), said] })
      void stream.submit(human(text), { ...submitOptions, optimisticValues })
    },
    decide: (approved) => {
      void stream.submit(undefined, { ...submitOptions, command: { resume: { approved } } })
    },
    rewrite: (messageId, text) => {
      const message = stream.messages.find(({ id }) => id === messageId)
      const before = message && stream.getMessagesMetadata(message)?.firstSeenState
      const checkpoint = before?.parent_checkpoint
      void stream.submit(human(text), { ...submitOptions, ...(checkpoint && { checkpoint }) })
    },
    stop: () => void stream.stop(),
  }
}
