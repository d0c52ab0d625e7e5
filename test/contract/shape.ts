/** What a JSON schema lets through, reduced to what a client can notice: types, values, fields. */
import type { OpenApiDocument, Schema } from './document.ts'

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

export interface Shape {
  /** Absent: anything. */
  types?: JsonType[]
  /** The only texts, where it is an enumeration. */
  values?: string[]
  /** What a list holds; absent: anything. */
  items?: Shape
  /** The fields of an object by name; absent: any fields. */
  fields?: Record<string, Shape>
  /** The fields that are always there. */
  required?: string[]
}

/** The shape of a schema of the document; a reference to what encloses it is just an object. */
export function shapeOf(document: OpenApiDocument, schema: Schema, path: string[] = []): Shape {
  const { $ref } = schema
  if ($ref !== undefined) {
    if (path.includes($ref)) return { types: ['object'] }
    return shapeOf(document, resolve(document, $ref), [...path, $ref])
  }
  const inner = (one: Schema) => shapeOf(document, one, path)
  const choices = schema.anyOf ?? schema.oneOf
  // Beside fields, choices only say which of them go together.
  if (choices && !schema.properties) return choices.map(inner).reduce(either)
  if (schema.allOf) return schema.allOf.map(inner).reduce(both)
  return plainShape(schema, inner)
}

/** Where a reference such as `#/components/schemas/Thread` leads. */
export function resolve(document: OpenApiDocument, ref: string): Schema {
  let found: unknown = document
  for (const name of ref.split('/').slice(1)) {
    found = (found as Record<string, unknown> | undefined)?.[name]
  }
  if (found === undefined) throw new Error(`The document has no ${ref}.`)
  return found as Schema
}

function plainShape(schema: Schema, inner: (schema: Schema) => Shape): Shape {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  const types = typesOf(schema, values)
  const texts = values?.filter((value) => typeof value === 'string')
  return {
    ...(types && { types }),
    ...(texts && texts.length > 0 && { values: texts.toSorted() }),
    ...(schema.items && { items: inner(schema.items) }),
    ...(schema.properties && {
      fields: mapFields(schema.properties, inner),
      required: (schema.required ?? []).toSorted(),
    }),
  }
}

function typesOf(schema: Schema, values: unknown[] | undefined): JsonType[] | undefined {
  if (schema.type !== undefined) return [schema.type].flat().toSorted()
  if (schema.properties) return ['object']
  if (values) return [...new Set(values.map(typeOf))].toSorted()
  return undefined
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : (typeof value as JsonType)
}

/** What one of the two lets through. */
function either(a: Shape, b: Shape): Shape {
  if (!a.types || !b.types) return {}
  const values = a.types.includes('string') && b.types.includes('string') ? joined(a, b) : undefined
  const texts = values ?? (a.types.includes('string') ? a.values : b.values)
  const items = bothKnown(a, b, 'array', 'items')
  const fields = bothKnown(a, b, 'object', 'fields')
  const required = (a.required ?? b.required ?? []).filter(
    (name) => (a.required ?? [name]).includes(name) && (b.required ?? [name]).includes(name),
  )
  return {
    types: [...new Set([...a.types, ...b.types])].toSorted(),
    ...(texts && texts.length > 0 && { values: texts }),
    ...(items && { items: items.length === 2 ? either(...(items as [Shape, Shape])) : items[0] }),
    ...(fields && { fields: Object.assign({}, ...fields), required }),
  }
}

/** An empty list when one of the two allows any text. */
function joined(a: Shape, b: Shape): string[] {
  return a.values && b.values ? [...new Set([...a.values, ...b.values])].toSorted() : []
}

/** What those of the two that can be of the type know of it; nothing when one leaves it open. */
function bothKnown<K extends 'items' | 'fields'>(a: Shape, b: Shape, type: JsonType, key: K) {
  const known = [a, b].filter((shape) => shape.types?.includes(type)).map((shape) => shape[key])
  return known.length > 0 && known.every((one) => one !== undefined) ? known : undefined
}

/** What must satisfy the two at once. */
function both(a: Shape, b: Shape): Shape {
  const merged: Shape = { ...a, ...b }
  if (a.fields && b.fields) merged.fields = { ...a.fields, ...b.fields }
  if (a.required && b.required) merged.required = [...new Set([...a.required, ...b.required])]
  return merged
}

function mapFields(
  properties: Record<string, Schema>,
  inner: (schema: Schema) => Shape,
): Record<string, Shape> {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)]))
}
