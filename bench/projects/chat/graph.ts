import { setTimeout as delay } from 'node:timers/promises'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

const EVERY_MS = 50
/** How long an answer takes, in ms. */
const ANSWER_MS = 8_000

/** Writes a token every 50 ms for 8 s. A token is the time at which it is made: ms since 1970, between two `@`. */
class Paced extends SimpleChatModel {
  constructor() {
    super({})
  }

  _llmType(): string {
    return 'paced'
  }

  async _call(): Promise<string> {
    throw new Error('It only streams.')
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const end = performance.now() + ANSWER_MS
    let due = performance.now()
    for (; performance.now() < end; await delay(Math.max(due - performance.now(), 0))) {
      // A token that is late by more than one delays the rest, so that they come in no burst.
      due = Math.max(due + EVERY_MS, performance.now())
      const text = `@${(performance.timeOrigin + performance.now()).toFixed(1)}@`
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) })
      yield chunk
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, {
        chunk,
      })
    }
  }
}

const model = new Paced()

export const chat = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile()
