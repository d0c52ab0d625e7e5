/** Where a state has its messages, as its JSON Schema tells. */
import type { GraphSchema } from '@langchain/langgraph-sdk'

type Json = Record<string, unknown>

/** The key below which the conversation lies; undefined where the state has none. */
export function messagesKeyOf(schema: GraphSchema[keyof GraphSchema]): string | undefined {
  const properties = objectOf(objectOf(schema).properties)
  const keys = Object.keys(properties).filter((key) => holdsMessages(objectOf(properties[key])))
  return keys.includes('messages') ? 'messages' : keys[0]
}

/** Graphs in TypeScript are marked by the server; in Python the items name the classes of messages. */
function holdsMessages(property: Json): boolean {
  if (property.langgraph_type === 'messages') return true
  const isList = property.type === 'array' || Array.isArray(property.anyOf)
  return isList && /(AIMessage|HumanMessage|BaseMessage)/.test(JSON.stringify(property))
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
