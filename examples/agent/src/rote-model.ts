import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'

/** A chat model that answers by rote, word by word, so that streaming can be seen without a key. */
export class RoteModel extends SimpleChatModel {
  _llmType(): string {
    return 'rote'
  }

  async _call(messages: BaseMessage[]): Promise<string> {
    const said = messages.at(-1)?.text ?? ''
    const turn = messages.filter((message) => message.getType() === 'human').length
    return `You said: "${said}". This is turn ${turn} of our conversation.`
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const words = (await this._call(messages)).split(/(?<= )/)
    for (const word of words) {
      const message = new AIMessageChunk({ content: word })
      yield new ChatGenerationChunk({ text: word, message })
      await runManager?.handleLLMNewToken(word)
    }
  }
}
