/** A chat model that knows a few answers by heart and says them word by word, as models do. */
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

/** The pause between two words, in ms. */
const WORD_MS = 30

interface Reply {
  text: string
  call?: { name: string; args: Record<string, unknown> }
}

export class ScriptedModel extends BaseChatModel {
  _llmType(): string {
    return 'scripted'
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, call } = replyTo(messages)
    const tool_calls = call
      ? [{ ...call, id: crypto.randomUUID(), type: 'tool_call' as const }]
      : []
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] }
  }

  async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, call } = replyTo(messages)
    for (const word of text.match(/\S+\s*/g) ?? []) {
      options.signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) })
      yield chunk
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, {
        chunk,
      })
      await new Promise((resolve) => setTimeout(resolve, WORD_MS))
    }
    if (!call) return
    const tool_call_chunks = [
      {
        name: call.name,
        args: JSON.stringify(call.args),
        id: crypto.randomUUID(),
        index: 0,
        type: 'tool_call_chunk' as const,
      },
    ]
    const message = new AIMessageChunk({ content: '', tool_call_chunks })
    const chunk = new ChatGenerationChunk({ text: '', message })
    yield chunk
    await runManager?.handleLLMNewToken('', undefined, undefined, undefined, undefined, { chunk })
  }
}

function replyTo(messages: BaseMessage[]): Reply {
  const last = messages.at(-1)
  if (last && isToolMessage(last)) return { text: `${last.text} Anything else?` }
  const asked = messages.findLast(isHumanMessage)?.text ?? ''
  const city = /weather in (\p{L}+)/iu.exec(asked)?.[1]
  if (city) return { text: 'Let me look. ', call: { name: 'weather', args: { city } } }
  const trip = /book (.+)/i.exec(asked)?.[1]
  if (trip) return { text: 'I can do that. ', call: { name: 'book', args: { what: trip } } }
  const top = Number(/count to (\d{1,3})/i.exec(asked)?.[1] ?? 0)
  if (top) return { text: Array.from({ length: top }, (_, i) => i + 1).join(' ') }
  return { text: `You said: ${asked}` }
}
