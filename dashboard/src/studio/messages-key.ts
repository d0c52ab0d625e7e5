/** Finds the key of a state's messages in its JSON Schema. */
import type { GraphSchema } from '@langchain/langgraph-sdk'

type Json = Record<string, unknown>

/** The key of the conversation's messages; undefined if the state has none. */
export function messagesKeyOf(schema: GraphSchema[keyof GraphSchema]): string | undefined {
  const properties = objectOf(objectOf(schema).properties)
  const keys = Object.keys(properties).filter((key) => holdsMessages(objectOf(properties[key])))
  return keys.includes('messages') ? 'messages' : keys[0]
}

/** The server marks the messages of TypeScript graphs; in Python the items name message classes. */
function holdsMessages(property: Json): boolean {
  if (property.langgraph_type === 'messages') return true
  const isList = property.type === 'array' || Array.isArray(property.anyOf)
  return isList && /(AIMessage|HumanMessage|BaseMessage)/.test(JSON.stringify(property))
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
