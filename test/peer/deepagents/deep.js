/** A deep agent whose model says by rote what it is to: it asks a subagent, and says what it heard. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { createDeepAgent } from 'deepagents'

class RoteModel extends BaseChatModel {
  _llmType() {
    return 'rote'
  }

  bindTools() {
    return this
  }

  async _generate(messages, options) {
    let all
    for await (const chunk of this._streamResponseChunks(messages, options)) {
      all = all ? all.concat(chunk) : chunk
    }
    return { generations: [all] }
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    for (const [i, piece] of piecesFor(messages).entries()) {
      const id = `${piece.id}`
      const message = new AIMessageChunk({ content: '', ...piece, id })
      const chunk = new ChatGenerationChunk({ text: message.text, message })
      yield chunk
      await runManager?.handleLLMNewToken(
        message.text,
        { prompt: 0, completion: i },
        undefined,
        undefined,
        undefined,
        { chunk },
      )
    }
  }
}

function piecesFor(messages) {
  const last = messages.at(-1)
  const text = last.text
  if (text.includes('research')) return words('subagent', 'Bern is sunny.')
  if (last.getType() === 'tool') return words('answer', `I heard: ${text}`)
  const args = JSON.stringify({ description: 'research Bern', subagent_type: 'researcher' })
  const call = { type: 'tool_call_chunk', index: 0, id: 'call-1', name: 'task', args }
  return [{ id: 'plan', tool_call_chunks: [call] }]
}

function words(id, text) {
  return text.split(/(?<= )/).map((content) => ({ id, content }))
}

const model = new RoteModel({})

export const deep = createDeepAgent({
  model,
  subagents: [
    { name: 'researcher', description: 'Looks things up', systemPrompt: 'Look it up.', model },
  ],
})
