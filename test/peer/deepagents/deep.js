/** Agents whose models say by rote what they are to. */
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { createDeepAgent } from 'deepagents'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { z } from 'zod'

class RoteModel extends BaseChatModel {
  /** Answers the pieces of a message, by the messages before it. */
  #say

  constructor(say) {
    super({})
    this.#say = say
  }

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
    for (const [i, piece] of this.#say(messages).entries()) {
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

function delegate(messages) {
  const last = messages.at(-1)
  const text = last.text
  if (text.includes('research')) return words('subagent', 'Bern is sunny.')
  if (last.getType() === 'tool') return words('answer', `I heard: ${text}`)
  const args = { description: 'research Bern', subagent_type: 'researcher' }
  return calls('plan', { id: 'call-1', name: 'task', args })
}

function calls(id, ...all) {
  const chunks = all.map(({ args, ...call }, index) => ({
    ...{ type: 'tool_call_chunk', index, ...call },
    args: JSON.stringify(args),
  }))
  return [{ id, tool_call_chunks: chunks }]
}

function words(id, text) {
  return text.split(/(?<= )/).map((content) => ({ id, content }))
}

/** One that has no result of a tool yet calls `first`; then it says `answer`. */
const inTurn = (id, first, answer) => (messages) =>
  messages.some((one) => one.getType() === 'tool') ? words(`${id}-answer`, answer) : first

/** Waits until the file exists that the variable GATE names. */
async function passGate() {
  while (process.env.GATE && !existsSync(process.env.GATE)) await delay(10)
}

/** A subagent with a tool of its own, which waits at the gate. */
const helper = (name) => ({
  ...{ name, description: name, systemPrompt: name },
  tools: [
    tool(async () => passGate().then(() => `${name} found it`), {
      ...{ name: `${name}_tool`, description: 'Looks', schema: z.object({}) },
    }),
  ],
  model: new RoteModel(
    inTurn(
      name,
      calls(`${name}-plan`, { id: `${name}-1`, name: `${name}_tool`, args: {} }),
      `answer of ${name}`,
    ),
  ),
})

const task = (id, subagent_type) => ({
  ...{ id, name: 'task', args: { description: `go ${subagent_type}`, subagent_type } },
})

/** Has two subagents at work at once, each of which calls its own tool. */
export const pair = createDeepAgent({
  model: new RoteModel(
    inTurn('pair', calls('pair-plan', task('t1', 'north'), task('t2', 'south')), 'Both are back.'),
  ),
  subagents: [helper('north'), helper('south')],
})

const weather = tool(async ({ city }) => `sunny in ${city}`, {
  ...{ name: 'weather', description: 'The weather in a city' },
  schema: z.object({ city: z.string() }),
})

const look = calls('plan', { id: 'call-1', name: 'weather', args: { city: 'Bern' } })

/** Asks before it calls its tool. */
export const asking = createAgent({
  model: new RoteModel(inTurn('look', look, 'It is sunny in Bern.')),
  tools: [weather],
  middleware: [
    humanInTheLoopMiddleware({
      interruptOn: { weather: { allowedDecisions: ['approve', 'reject'] } },
    }),
  ],
})

const model = new RoteModel(delegate)

export const deep = createDeepAgent({
  model,
  subagents: [
    { name: 'researcher', description: 'Looks things up', systemPrompt: 'Look it up.', model },
  ],
})
