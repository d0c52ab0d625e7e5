/**
 * Messages as JSON Schema, in the form that requests and answers carry: LangChain's classes have much
 * that is no data. The names are those of the classes, by which clients recognise a list of messages.
 */
import type { JsonObject } from '../../../core/json.ts'

/** Refers to any message; `MESSAGE_DEFINITIONS` must go with it. */
export const MESSAGE_REFERENCE: JsonObject = { $ref: '#/definitions/BaseMessage' }

/** A list of messages, with the mark that LangGraph Studio knows it by. */
export function messageList(): JsonObject {
  return { type: 'array', items: MESSAGE_REFERENCE, langgraph_type: 'messages' }
}

const text: JsonObject = { type: 'string' }
const object: JsonObject = { type: 'object' }
const objects: JsonObject = { type: 'array', items: object }

/** What every message has. */
const common = {
  content: { anyOf: [text, objects] },
  id: text,
  name: text,
  additional_kwargs: object,
  response_metadata: object,
}

function message(type: JsonObject, own: JsonObject = {}, required: string[] = []): JsonObject {
  return {
    type: 'object',
    properties: { type: { type: 'string', ...type }, ...common, ...own },
    required: ['type', 'content', ...required],
  }
}

const ofModel = { tool_calls: objects, invalid_tool_calls: objects, usage_metadata: object }
const ofTool = { tool_call_id: text, status: text, artifact: {} }

const kinds: JsonObject = {
  HumanMessage: message({ const: 'human' }),
  AIMessage: message({ const: 'ai' }, ofModel),
  SystemMessage: message({ const: 'system' }),
  ToolMessage: message({ const: 'tool' }, ofTool, ['tool_call_id']),
  FunctionMessage: message({ const: 'function' }, {}, ['name']),
  ChatMessage: message({ const: 'generic' }, { role: text }, ['role']),
  RemoveMessage: message({ const: 'remove' }, {}, ['id']),
  BaseMessageChunk: message({ pattern: 'MessageChunk$' }, { ...ofModel, ...ofTool, role: text }),
}

/** The definitions that `MESSAGE_REFERENCE` refers to. */
export const MESSAGE_DEFINITIONS: JsonObject = {
  BaseMessage: {
    description: 'Base class for all types of messages: each is one of these.',
    oneOf: Object.keys(kinds).map((name) => ({ $ref: `#/definitions/${name}` })),
  },
  ...kinds,
}
