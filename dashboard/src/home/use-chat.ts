/** A conversation with one assistant on its own thread, through the official SDK. */
import type { Message } from '@langchain/langgraph-sdk'
import { useRef, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'

export interface Said {
  id: string
  by: 'human' | 'agent'
  text: string
}

export interface Chat {
  said: readonly Said[]
  isAnswering: boolean
  error: unknown
  /** Set with the first message. */
  threadId: string | undefined
  /** From sending to the first token of the latest answer, in ms. */
  firstTokenMs: number | undefined
  /** A message sent during an answer waits until it has ended. */
  send(text: string): void
}

export function useChat(server: AgentServer, assistantId: string): Chat {
  const [said, setSaid] = useState<readonly Said[]>([])
  const [isAnswering, setAnswering] = useState(false)
  const [error, setError] = useState<unknown>()
  const [firstTokenMs, setFirstTokenMs] = useState<number>()
  const threadId = useRef<string>(undefined)

  const append = (id: string, text: string) => setSaid((before) => withText(before, id, text))
  const turn = useRef(Promise.resolve())
  const send = (text: string) => {
    turn.current = turn.current.then(() => take(text))
  }
  const take = async (text: string) => {
    const begun = performance.now()
    setSaid((before) => [...before, { id: `human-${before.length}`, by: 'human', text }])
    setError(undefined)
    setFirstTokenMs(undefined)
    setAnswering(true)
    try {
      threadId.current ??= (await server.client.threads.create()).thread_id
      for await (const { id, token } of tokensOf(server, threadId.current, assistantId, text)) {
        setFirstTokenMs((known) => known ?? performance.now() - begun)
        append(id, token)
      }
    } catch (reason) {
      setError(reason)
    } finally {
      setAnswering(false)
    }
  }
  return { said, isAnswering, error, threadId: threadId.current, firstTokenMs, send }
}

async function* tokensOf(
  { client }: AgentServer,
  threadId: string,
  assistantId: string,
  text: string,
): AsyncGenerator<{ id: string; token: string }> {
  const stream = client.runs.stream(threadId, assistantId, {
    input: { messages: [{ role: 'user', content: text }] },
    streamMode: ['messages-tuple'],
  })
  for await (const { event, data } of stream) {
    if (event === 'messages') {
      const [message] = data
      const token = textOf(message)
      if (message.type !== 'human' && token) yield { id: message.id ?? 'answer', token }
    } else if (event === 'error') throw new Error(reasonIn(data))
  }
}

/** Appends a token to the answer with this id, or starts the answer. */
function withText(before: readonly Said[], id: string, token: string): readonly Said[] {
  const last = before.at(-1)
  if (last?.id !== id) return [...before, { id, by: 'agent', text: token }]
  return [...before.slice(0, -1), { ...last, text: last.text + token }]
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function reasonIn(data: unknown): string {
  const { message } = data as { message?: unknown }
  return typeof message === 'string' ? message : 'The run has failed.'
}
