import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatOpenAI } from '@langchain/openai'
import { RoteModel } from './rote-model.ts'

/** A real model where there is a key for one, else one that needs neither key nor network. */
export function chooseModel(): BaseChatModel {
  const name = process.env.AGENT_MODEL
  if (process.env.ANTHROPIC_API_KEY)
    return new ChatAnthropic({ model: name ?? 'claude-sonnet-4-5' })
  if (process.env.OPENAI_API_KEY) return new ChatOpenAI({ model: name ?? 'gpt-5-mini' })
  return new RoteModel({})
}
